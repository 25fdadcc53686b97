/** Steps that the checks of refunds share. */
import {
  formatRefundId,
  parseAmount,
  refundEnquiryResponse,
  refundReport,
  type NetworkRefundRequest,
  type RefundReport,
} from '@gateway/contracts'
import { demand, demandBody, type Bench } from './check.ts'
import { inWords, type Answer } from './connector.ts'
import { capture, eventually } from './steps.ts'

/** Makes a UPI payment of 499 rupees and returns an unsent refund of it: of the whole amount unless `fields` sets another one. */
export async function aRefund(bench: Bench, fields: Partial<NetworkRefundRequest> = {}): Promise<NetworkRefundRequest> {
  const { request, response } = await capture(bench, 'upi')
  const { tr, amount } = request
  const id = formatRefundId(tr, 1)
  return { refund_id: id, reference: response.reference, tr, amount, currency: 'INR', reason: 'other', ...fields }
}

export function send({ connector }: Bench, refund: NetworkRefundRequest): Promise<Answer> {
  return connector.refund(refund, refund.refund_id)
}

export function read(answer: Answer, refund: NetworkRefundRequest): RefundReport {
  const body = demandBody(answer, [200, 201], refundReport, 'a refund')
  demand(
    body.refund_id === refund.refund_id && isAmountOf(refund, body),
    `a refund was answered for another one: ${inWords(answer)}`,
  )
  return body
}

export async function enquireRefund({ connector }: Bench, refundId: string): Promise<RefundReport | undefined> {
  const answer = await connector.enquireRefund({ refund_id: refundId })
  const body = demandBody(answer, [200], refundEnquiryResponse, 'an enquiry')
  demand(body.refund_id === refundId, `an enquiry was answered ${inWords(answer)}`)
  return body.refunds[0]
}

export function untilEnded(bench: Bench, { refund_id }: NetworkRefundRequest): Promise<RefundReport> {
  return eventually(bench, 'the refund has not ended', async () => {
    const found = await enquireRefund(bench, refund_id)
    demand(found !== undefined, 'an enquiry does not know the refund')
    return found.status === 'pending' ? undefined : found
  })
}

export function isAmountOf({ amount }: NetworkRefundRequest, report: RefundReport | undefined): boolean {
  return report !== undefined && parseAmount(report.amount) === parseAmount(amount)
}
