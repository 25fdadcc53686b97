import {
  formatPaise,
  formatRefundId,
  NETWORK_REFUNDS_PATH,
  parseAmount,
  refundEnquiryResponse,
  refundReport,
  type NetworkRefundRequest,
} from '@gateway/contracts'
import type { Log } from '@gateway/service-kit'
import { failureCode } from '@gateway/service-kit/http-client'
import { createNetworkClient, type NetworkAddress } from '@gateway/connector-client'
import type { GuardReport } from '../../callbacks/index.ts'
import { acceptedCapture, type Refund, type Transaction } from '../../payments/index.ts'
import type { RefundAnswer } from '../domain/refund-answer.ts'

/** Refunds at the payment network. No call rejects: every answer that is not clear becomes `unclear`. */
export interface NetworkRefunds {
  /** Asks to refund, or repeats the request: the refund's id is its idempotency key, so the network pays once. */
  request(transaction: Transaction, refund: Refund): Promise<RefundAnswer>
  /** Asks for the state of a refund. An empty answer is unclear: the request may still be on its way. */
  enquire(transaction: Transaction, refund: Refund): Promise<RefundAnswer>
}

export function createNetworkRefunds(address: NetworkAddress, guardReport: GuardReport, log: Log): NetworkRefunds {
  const client = createNetworkClient(address)

  async function answerOf(
    operation: string,
    { id, amountPaise }: { readonly id: string; readonly amountPaise: number },
    call: () => Promise<{ status: number; answer: unknown }>,
  ): Promise<RefundAnswer> {
    const unclear = (why: object): 'unclear' => {
      log.warn('network gave no clear answer', { operation, refund_id: id, ...why })
      return 'unclear'
    }
    try {
      const { status, answer } = await call()
      const isClear = (status === 200 || status === 201) && refundReport(answer) && answer.refund_id === id
      if (!isClear) return unclear({ status })
      return parseAmount(answer.amount) === amountPaise ? guardReport(answer) : unclear({ status, amount: answer.amount })
    } catch (error) {
      return unclear({ error: failureCode(error) })
    }
  }

  return {
    request(transaction, refund) {
      const id = formatRefundId(transaction.id, refund.n)
      const body: NetworkRefundRequest = {
        refund_id: id,
        reference: acceptedCapture(transaction)?.reference ?? '',
        tr: transaction.id,
        amount: formatPaise(refund.amount_paise),
        currency: 'INR',
        reason: refund.reason,
      }
      return answerOf('refund', { id, amountPaise: refund.amount_paise }, async () => {
        const { status, data } = await client.post(NETWORK_REFUNDS_PATH, body, { headers: { 'idempotency-key': id } })
        return { status, answer: data }
      })
    },

    enquire(transaction, refund) {
      const id = formatRefundId(transaction.id, refund.n)
      return answerOf('enquire refund', { id, amountPaise: refund.amount_paise }, async () => {
        const { status, data } = await client.get(NETWORK_REFUNDS_PATH, { params: { refund_id: id } })
        const [found] = refundEnquiryResponse(data) && data.refund_id === id ? data.refunds : []
        return { status, answer: found }
      })
    },
  }
}
