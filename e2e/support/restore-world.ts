/** A stack, a merchant and the operators' commands, for tests of backup and restore. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { mongo } from 'mongoose'
import { createSandbox, eventually, runScript, type EndedScript } from '@gateway/testkit'
import { ROOT } from '@gateway-infra/system/paths'
import { connectMerchant, placeOrder, upiApp, type Merchant, type PlacedOrder } from './merchant.ts'
import { openMerchantSite } from './merchant-site.ts'
import { startStack, type RunningStack } from './running-stack.ts'

export const DEADLINE = { deadlineMs: 60_000, pauseMs: 200 }
export const QUEUES = [
  'payment-status.order-created',
  'webhook-dispatcher.status-changed',
  'webhook-dispatcher.refund-changed',
  'webhook-dispatcher.retries',
]

export type RestoreWorld = Awaited<ReturnType<typeof startRestoreWorld>>

export async function startRestoreWorld() {
  const stack = await startStack({ WEBHOOK_AUDIT_GRACE: '1s', SWEEP_OVERDUE: '2s', SWEEP_INTERVAL: '1s', REFUND_DELAYS: '2s' })
  const site = await openMerchantSite(stack.description, 'Restored Stores')
  const broker = await createSandbox()
  const stored = (service: string, collection: string): mongo.Collection<{ _id: string }> =>
    broker.client.db(stack.databasePrefix + service).collection(collection)
  const depth = (queue: string): Promise<number> => broker.messageCount(stack.amqpPrefix + queue)
  const npmRun = (command: string, ...args: string[]) => runCommand(stack, command, args)

  return {
    stack,
    site,
    stored,
    depth,
    npmRun,
    merchantNow: (): Merchant => connectMerchant(stack.description, site.merchant.credentials),
    pay: async (orders: readonly PlacedOrder[]): Promise<void> => {
      const app = upiApp(stack.description)
      for (const { intent } of orders) expect((await app.pay(intent, 'success@sandbox')).status).toBe(202)
    },
    /** Waits until the merchant has received at least so many webhooks of each order. */
    webhooksArrive: (orders: readonly PlacedOrder[], sequences: number): Promise<void> =>
      eventually(() => {
        for (const { orderId } of orders)
          expect(new Set(site.attemptsFor(orderId).map(({ id }) => id)).size).toBeGreaterThanOrEqual(sequences)
      }, DEADLINE),
    queuesDrain: (): Promise<void> =>
      eventually(async () => {
        for (const queue of QUEUES) expect([queue, await depth(queue)]).toEqual([queue, 0])
      }, DEADLINE),
    /** The answer comes before its event is at the broker, and the event stays in its document for up to a second. */
    outboxesEmpty: (): Promise<void> =>
      eventually(async () => {
        for (const documents of [stored('order_api', 'orders'), stored('payment_status', 'transactions')]) {
          const unpublished = await documents.countDocuments({ 'outbox.at': { $exists: true } })
          expect([documents.collectionName, unpublished]).toEqual([documents.collectionName, 0])
        }
      }, DEADLINE),
    /** A delivery is recorded shortly after the merchant's answer. */
    deliveriesRecorded: (count: number): Promise<void> =>
      eventually(async () => {
        expect(await stored('webhook_dispatcher', 'deliveries').countDocuments({ status: 'delivered' })).toBe(count)
      }, DEADLINE),
    /** No service has exited because of an error. */
    checkNoneExited: (): void => expect([...stack.logs().values()].join('\n')).not.toContain('uncaught error, exiting'),
    /** Pauses a service, as a machine that hangs does. Its messages stay in the broker. */
    halt: (service: string): void => void process.kill(stack.description.services[service]?.pid ?? 0, 'SIGSTOP'),
    /** As if the restored database were first used after the end of these orders: then the network is asked about them. */
    endOrders: async (orders: readonly PlacedOrder[]): Promise<void> => {
      const end = new Date()
      const ids = orders.map(({ transactionId }) => transactionId)
      const transactions = stored('payment_status', 'transactions')
      const ended = await transactions.updateMany({ _id: { $in: ids } }, { $set: { expires_at: end, due_at: end } })
      expect(ended.modifiedCount).toBe(orders.length)
    },
    deleteDeliveriesOf: async (orders: readonly PlacedOrder[]): Promise<number> => {
      const deliveries = stored('webhook_dispatcher', 'deliveries')
      return (await deliveries.deleteMany({ order_id: { $in: orders.map(({ orderId }) => orderId) } })).deletedCount
    },
    stop: async (): Promise<void> => {
      await site.close()
      await broker.remove([])
      await stack.remove()
    },
  }
}

export function buy(merchant: Merchant, count: number): Promise<PlacedOrder[]> {
  return Promise.all(Array.from({ length: count }, () => placeOrder(merchant)))
}

export async function statusesBecome(merchant: Merchant, orders: readonly PlacedOrder[], status: string): Promise<void> {
  for (const { orderId, transactionId } of orders) {
    await eventually(async () => {
      const { transaction } = await merchant.search(orderId)
      expect(transaction).toMatchObject({ id: transactionId, status })
    }, DEADLINE)
  }
}

/** Runs the script behind `npm run <command>` on this stack to its end, without the bootstrap: this process is set up already. */
function runCommand(
  { description, databasePrefix, amqpPrefix, stateDir }: RunningStack,
  command: string,
  args: readonly string[],
): Promise<EndedScript> {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
  const [, , script = '', ...own] = (scripts[command] ?? '').split(' ')
  const { mongo_url: MONGO_URL, amqp_url: AMQP_URL } = description
  const ofStack = { MONGO_URL, AMQP_URL, DATABASE_PREFIX: databasePrefix, AMQP_PREFIX: amqpPrefix, STACK_DIR: stateDir }
  return runScript({ script: pathToFileURL(join(ROOT, script)), args: [...own, ...args], env: { ...process.env, ...ofStack } })
}
