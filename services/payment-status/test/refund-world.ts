import type { RefundResponse, RefundStatusChanged, RefundView, SearchOrderResponse } from '@gateway/contracts'
import { eventually, type JsonAnswer, type JsonClient } from '@gateway/testkit'
import { startFixture } from './fixture.ts'
import { startRefundNetwork } from './refund-network.ts'

const CAPABILITIES = { contract: 1, refunds: { window_days: 180, partial: true } }

export type RefundAnswer = JsonAnswer<RefundResponse & { code?: string; detail?: string }>
export type RefundWorld = Awaited<ReturnType<typeof startRefundWorld>>

/** The service beside a network that refunds, and the calls of a merchant that may refund. */
export async function startRefundWorld() {
  const fixture = await startFixture()
  const network = startRefundNetwork(fixture, CAPABILITIES)
  const merchant: JsonClient = await fixture.as('M1', ['read', 'refunds'])
  const find = async (id: string): Promise<RefundView> =>
    (await merchant<RefundResponse>('GET', `/api/v1/refunds/${id}`)).body.data.refund
  const seen = new Map<string, RefundStatusChanged>()

  return {
    fixture,
    network,
    merchant,
    find,
    async openPaid(): Promise<{ orderId: string; transactionId: string }> {
      const { data } = await fixture.open()
      await fixture.report({ tr: data.transaction_id, rrn: '123456789012' })
      return { orderId: data.order_id, transactionId: data.transaction_id }
    },
    request: (order_id: string, refund_id: string, amount: string, by = merchant, more = {}): Promise<RefundAnswer> =>
      by('POST', '/api/v1/refunds', { order_id, refund_id, amount, ...more }),
    search: async (orderId: string) =>
      (await merchant<SearchOrderResponse>('POST', '/api/v1/order/search', { order_id: orderId })).body.data.transaction,
    ends: (id: string, fields: object) => eventually(async () => expect(await find(id)).toMatchObject(fields)),
    async eventsOf(transactionId: string): Promise<RefundStatusChanged[]> {
      for (const event of await fixture.sandbox.takeAll<RefundStatusChanged>(fixture.queues.refundEvents))
        seen.set(event.id, event)
      return [...seen.values()]
        .filter(({ data }) => data.transaction_id === transactionId)
        .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    },
  }
}
