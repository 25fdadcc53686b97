/** A merchant listens to copies of its webhooks while gateway and dispatcher are killed. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { anOrder, eventually, openEventStream, type EventStreamClient } from '@gateway/testkit'
import { readStack } from '@gateway-infra/local/stack-file'
import { openMerchantSite, type MerchantSite } from './support/merchant-site.ts'
import { startStack, type RunningStack } from './support/running-stack.ts'
import { upiApp } from './support/merchant.ts'

const ORDERS = 60
/** So many orders are paid between two kills. */
const ORDERS_PER_PART = 20
const DEADLINE = { deadlineMs: 60_000, pauseMs: 100 }

interface Copy {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

let stack: RunningStack
let site: MerchantSite
beforeAll(async () => {
  stack = await startStack({ SWEEP_OVERDUE: '2s', SWEEP_INTERVAL: '1s', WEBHOOK_TIMEOUT: '2s', WEBHOOK_CLAIM_MARGIN: '2s' })
  site = await openMerchantSite(stack.description, 'Listening Stores')
}, 300_000)
afterAll(async () => {
  await stack.remove()
  await site.close()
}, 300_000)

/** A client that always connects again with the last id, as `pgw listen` does. */
async function keepListening(stopped: AbortSignal, copies: Copy[], secrets: Set<string>): Promise<void> {
  let lastId: string | undefined
  while (!stopped.aborted) {
    const stream = await connect(lastId).catch(() => undefined)
    if (stream?.response.status === 200) {
      const close = (): void => stream.close()
      stopped.addEventListener('abort', close)
      await stream.ended
      for (const { event, data } of stream.events) {
        if (event === 'ready') secrets.add((data as { signing_secret: string }).signing_secret)
        if (event === 'webhook') copies.push(data as Copy)
      }
      lastId = stream.events.findLast(({ id }) => id !== undefined)?.id ?? lastId
    }
    await sleep(200)
  }
}

async function connect(lastId: string | undefined): Promise<EventStreamClient> {
  const headers = { authorization: `Bearer ${await site.merchant.gateway.token()}` }
  const url = `${stack.description.base_url}/api/v1/webhooks/listen`
  return openEventStream(url, { ...headers, ...(lastId !== undefined && { 'last-event-id': lastId }) })
}

async function payOrders(count: number): Promise<string[]> {
  const app = upiApp(stack.description)
  const orders = Array.from({ length: count }, () => anOrder())
  await Promise.all(
    orders.map(async (order) => {
      const { checkout } = await eventually(() => site.merchant.gateway.orders.create(order), DEADLINE)
      await eventually(async () => expect((await app.pay(checkout.intent, 'success@sandbox')).status).toBe(202), DEADLINE)
    }),
  )
  return orders.map(({ order_id }) => order_id)
}

/** Kills a service; the supervisor starts it again. */
async function kill(name: string): Promise<void> {
  const pidOf = () => readStack(stack.stateDir)?.services[name]?.pid
  const before = pidOf()
  process.kill(before ?? 0, 'SIGKILL')
  await eventually(() => expect(pidOf()).not.toBe(before), DEADLINE)
}

// Proves: listen/survives-kills
test('with gateway and dispatcher killed in the middle, every copy comes once, and every delivery arrives', async () => {
  const stopped = new AbortController()
  const copies: Copy[] = []
  const secrets = new Set<string>()
  const listening = keepListening(stopped.signal, copies, secrets)
  await eventually(async () => expect(await site.merchant.gateway.orders.find('none')).toBeUndefined(), DEADLINE)
  await sleep(1000)

  const orderIds: string[] = []
  for (const victim of ['api-gateway', 'webhook-dispatcher', 'api-gateway']) {
    const paid = payOrders(ORDERS_PER_PART)
    await sleep(150)
    await kill(victim)
    orderIds.push(...(await paid))
  }
  expect(orderIds).toHaveLength(ORDERS)

  const deliveredIds = await eventually(async () => {
    const ids = new Set<string>()
    for (const orderId of orderIds) {
      const { transaction } = await site.merchant.search(orderId)
      expect(transaction.status).toBe('Success')
      const acknowledged = site.attemptsFor(orderId).filter(({ status }) => status === 200)
      expect(new Set(acknowledged.map(({ sequence }) => sequence)).size).toBe(transaction.sequence)
      for (const { id } of acknowledged) ids.add(id)
    }
    return ids
  }, DEADLINE)
  // Copies may be stored a moment after the deliveries; a session that ends brings what it has.
  await sleep(2000)
  stopped.abort()
  await listening

  expect(copies.map(({ headers }) => headers['webhook-id']).sort()).toEqual([...deliveredIds].sort())
  const [secret, ...more] = secrets
  expect(more).toEqual([])
  for (const { headers, body } of copies) expect(() => new Webhook(secret ?? '').verify(body, headers)).not.toThrow()
  const bodies = new Map(orderIds.flatMap((id) => site.attemptsFor(id)).map(({ id, body }) => [id, body]))
  for (const { headers, body } of copies) expect(body).toBe(bodies.get(headers['webhook-id'] ?? ''))
}, 300_000)
