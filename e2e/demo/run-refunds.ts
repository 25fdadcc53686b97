/** The merchant's refunds of a paid order, one after another. */
import { ApiError, type Refund } from '@gateway/sdk'
import { eventually } from '@gateway/testkit'
import type { MerchantSite } from '../support/merchant-site.ts'
import type { ExpectedRefund, Scenario } from './scenarios.ts'
import type { Timeline } from './timeline.ts'

/** Rejects when a refund gets an unexpected answer or stays pending. */
export async function runRefunds(
  { name, refunds = [] }: Scenario,
  { site, timeline }: { readonly site: MerchantSite; readonly timeline: Timeline },
  orderId: string,
): Promise<void> {
  for (const [index, { amount, ends }] of refunds.entries()) {
    const refundId = `RF-${index + 1}`
    const say = (detail: string) => timeline({ payment: name, what: 'refund', detail: `${refundId}  ${amount}  ${detail}` })
    const asking = site.merchant.gateway.refunds.create({ order_id: orderId, refund_id: refundId, amount, reason: 'returned' })
    if (ends === 'refund_exceeds_captured') {
      say(`refused: ${(await refusalOf(asking, ends)).message}`)
    } else {
      const { id } = await asking
      say(`accepted as ${id}`)
      const { status, failure_code } = await untilEnded(site, id)
      say(failure_code === null ? status : `${status} (${failure_code})`)
    }
  }
  await eventually(() => requireWebhooks(site, orderId, refunds), { deadlineMs: 30_000 })
  for (const { payload, isAuthentic } of site.refundWebhooksFor(orderId)) {
    const detail = `${payload.data.refund_id}  ${payload.type}  signature ${isAuthentic ? 'ok' : 'WRONG'}`
    timeline({ payment: name, what: 'webhook', detail, tone: isAuthentic ? 'good' : 'bad' })
  }
}

async function refusalOf(asking: Promise<unknown>, code: string): Promise<ApiError> {
  const error: unknown = await asking.then(
    () => 'the refund was accepted',
    (refusal: unknown) => refusal,
  )
  if (error instanceof ApiError && error.code === code) return error
  throw error instanceof Error ? error : new Error(String(error))
}

function untilEnded({ merchant }: MerchantSite, id: string): Promise<Refund> {
  return eventually(
    async () => {
      const refund = await merchant.gateway.refunds.find(id)
      if (!refund || refund.status === 'pending') throw new Error(`the refund ${id} is pending`)
      return refund
    },
    { deadlineMs: 30_000, pauseMs: 100 },
  )
}

/** Each accepted refund has two webhooks: pending, and its final status. */
function requireWebhooks(site: MerchantSite, orderId: string, refunds: readonly ExpectedRefund[]): void {
  const expected = 2 * refunds.filter(({ ends }) => ends !== 'refund_exceeds_captured').length
  const { length } = site.refundWebhooksFor(orderId)
  if (length < expected) throw new Error(`${length} webhooks of refunds arrived, expected ${expected}`)
}
