/** Two refunds before a backup: one that has succeeded, and one that the network ends only after it. */
import { eventually, jsonClient } from '@gateway/testkit'
import { upiApp } from './merchant.ts'
import type { RefundWebhook } from './merchant-site.ts'
import { buy, DEADLINE, statusesBecome, type RestoreWorld } from './restore-world.ts'

export type RefundsBeforeBackup = Awaited<ReturnType<typeof makeRefunds>>

export async function makeRefunds(world: RestoreWorld) {
  const { stack, site, merchantNow } = world
  const orders = await buy(merchantNow(), 2)
  const vpas = ['success@sandbox', 'success.pending-refund@sandbox']
  for (const [index, { intent }] of orders.entries())
    expect((await upiApp(stack.description).pay(intent, vpas[index] ?? '')).status).toBe(202)
  await statusesBecome(merchantNow(), orders, 'Success')
  const ids: string[] = []
  for (const { orderId } of orders) {
    const { id } = await merchantNow().gateway.refunds.create({ order_id: orderId, refund_id: 'RF-1', amount: '100.00' })
    ids.push(id)
  }
  const webhooks = (): RefundWebhook[] => orders.flatMap(({ orderId }) => site.refundWebhooksFor(orderId))
  const told = () => webhooks().map(({ payload: { type, data } }) => `${data.id} ${type}`)
  const becomes = (fields: readonly object[]): Promise<void> =>
    eventually(async () => {
      const found = await Promise.all(ids.map((id) => merchantNow().gateway.refunds.find(id)))
      expect(found).toMatchObject(fields)
    }, DEADLINE)
  const [first = '', second = ''] = ids

  await becomes([{ status: 'succeeded' }, { status: 'pending', pending_reason: 'processing' }])
  const expected = [`${first} refund.pending`, `${first} refund.succeeded`, `${second} refund.pending`]
  await eventually(() => expect(told().toSorted()).toEqual(expected.toSorted()), DEADLINE)
  const bodies = () => webhooks().map(({ isAuthentic, payload }) => (isAuthentic ? JSON.stringify(payload) : 'forged'))
  const inBackup = bodies()
  return {
    orders,
    /** Makes the network end the pending refund, and waits for both webhooks of each. */
    async endPending() {
      const call = jsonClient(stack.description.network_url)
      expect((await call('POST', `/sandbox/refunds/${second}/resolve`, { outcome: 'success' })).status).toBe(202)
      await eventually(() => expect(told()).toContain(`${second} refund.succeeded`), DEADLINE)
    },
    /** Both are found as the network has them: the one from the backup, the other by an enquiry. */
    async areAtTheNetwork() {
      await becomes([
        { status: 'succeeded', sequence: 2 },
        { status: 'succeeded', sequence: 2 },
      ])
      for (const { orderId } of orders)
        expect((await merchantNow().search(orderId)).transaction).toMatchObject({ status: 'Success', amount_refunded: '100.00' })
    },
    /** How often each webhook that was sent before the backup has arrived, byte for byte. */
    timesSent: () => inBackup.map((body) => bodies().filter((other) => other === body).length),
  }
}
