/** The merchant's refunds of a paid order, one after another. */
import type { RefundResponse } from '@gateway/contracts'
import { eventually, type ApiAnswer } from '@gateway/testkit'
import type { MerchantSite } from '../support/merchant-site.ts'
import type { ExpectedRefund, Scenario } from './scenarios.ts'
import type { Timeline } from './timeline.ts'

type Answer = ApiAnswer<RefundResponse & { readonly code?: string; readonly detail?: string }>

/** Rejects when a refund is answered otherwise than expected, or does not end. */
export async function runRefunds(
  { name, refunds = [] }: Scenario,
  { site, timeline }: { readonly site: MerchantSite; readonly timeline: Timeline },
  orderId: string,
): Promise<void> {
  for (const [index, refund] of refunds.entries()) {
    const refundId = `RF-${index + 1}`
    const say = (detail: string) =>
      timeline({ payment: name, what: 'refund', detail: `${refundId}  ${refund.amount}  ${detail}` })
    const body = { order_id: orderId, refund_id: refundId, amount: refund.amount, reason: 'returned' }
    const answer: Answer = await site.merchant.call('POST', '/api/v1/refunds', body)
    if (refund.ends === 'refund_exceeds_captured') {
      requireAnswer(answer, 409, refund.ends)
      say(`refused: ${answer.body.detail ?? ''}`)
    } else {
      requireAnswer(answer, 201)
      say(`accepted as ${answer.body.data.refund.id}`)
      await untilEnded(site, answer.body.data.refund.id)
      say(refund.ends)
    }
  }
  await eventually(() => requireWebhooks(site, orderId, refunds), { deadlineMs: 30_000 })
}

function untilEnded(site: MerchantSite, id: string): Promise<void> {
  return eventually(
    async () => {
      const { body }: Answer = await site.merchant.call('GET', `/api/v1/refunds/${id}`)
      if (body.data.refund.status === 'pending') throw new Error(`the refund ${id} is pending`)
    },
    { deadlineMs: 30_000, pauseMs: 100 },
  )
}

/** Each accepted refund is reported twice: pending, and its end. */
function requireWebhooks(site: MerchantSite, orderId: string, refunds: readonly ExpectedRefund[]): void {
  const expected = 2 * refunds.filter(({ ends }) => ends !== 'refund_exceeds_captured').length
  const { length } = site.refundWebhooksFor(orderId)
  if (length < expected) throw new Error(`${length} webhooks of refunds came, expected ${expected}`)
}

function requireAnswer({ status, body }: Answer, expected: number, code?: string): void {
  if (status === expected && body.code === code) return
  throw new Error(`a refund was answered ${status} ${JSON.stringify(body)}`)
}
