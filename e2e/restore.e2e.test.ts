/** A database that is older than everything around it (docs/operations/backup-and-restore.md), by the commands that operators type. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { mongo } from 'mongoose'
import type { CreateOrderResponse } from '@gateway/contracts'
import { anOrder, createSandbox, eventually, type Sandbox } from '@gateway/testkit'
import { connectMerchant, type Merchant } from './support/merchant.ts'
import { startStack, type RunningStack } from './support/running-stack.ts'
import { openMerchantSite, type MerchantSite } from './support/merchant-site.ts'
import { upiApp } from './support/upi-app.ts'

const COMMANDS = join(import.meta.dirname, '../infra/local/commands')
const PATIENCE = { deadlineMs: 60_000, pauseMs: 200 }
const QUEUES = ['payment-status.order-created', 'webhook-dispatcher.status-changed', 'webhook-dispatcher.retries']
const DEAD_QUEUES = ['payment-status.dead', 'webhook-dispatcher.dead']

let stack: RunningStack
let shop: MerchantSite
let broker: Sandbox
beforeAll(async () => {
  stack = await startStack({ WEBHOOK_AUDIT_GRACE: '1s', SWEEP_OVERDUE: '2s', SWEEP_INTERVAL: '1s' })
  shop = await openMerchantSite(stack.description, 'Restored Stores')
  broker = await createSandbox()
}, 300_000)
afterAll(async () => {
  await shop.close()
  await broker.remove([])
  await stack.remove()
}, 300_000)

interface Bought {
  readonly orderId: string
  readonly transactionId: string
  readonly intent: string
}

/** `npm run …`, to its end. */
function npmRun(command: string, ...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const { NODE_OPTIONS: _jests, ...env } = process.env
  const { mongo_url: MONGO_URL, amqp_url: AMQP_URL } = stack.description
  const own = { MONGO_URL, AMQP_URL, DATABASE_PREFIX: stack.databasePrefix, AMQP_PREFIX: stack.amqpPrefix }
  const options = { env: { ...env, ...own, STACK_DIR: stack.stateDir }, timeout: 180_000 }
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [join(COMMANDS, `${command}.ts`), ...args], options, (_failed, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    )
  })
}

const merchantNow = (): Promise<Merchant> => connectMerchant(stack.description, shop.merchant.credentials)

async function buy(merchant: Merchant, count: number): Promise<Bought[]> {
  const answers = await Promise.all(Array.from({ length: count }, async () => merchant.create(anOrder())))
  return answers.map(({ status, body }: { status: number; body: CreateOrderResponse }) => {
    expect(status).toBe(201)
    return { orderId: body.data.order.order_id, transactionId: body.data.transaction.id, intent: body.checkout.intent }
  })
}

async function pay(orders: readonly Bought[]): Promise<void> {
  const app = upiApp(stack.description)
  for (const { intent } of orders) expect((await app.pay(intent, 'success@sandbox')).status).toBe(202)
}

async function statusesBecome(merchant: Merchant, orders: readonly Bought[], status: string): Promise<void> {
  for (const { orderId, transactionId } of orders) {
    await eventually(async () => {
      const { transaction } = (await merchant.search(orderId)).body.data
      expect(transaction).toMatchObject({ id: transactionId, status })
    }, PATIENCE)
  }
}

const told = (orders: readonly Bought[], sequences: number): Promise<void> =>
  eventually(() => {
    for (const { orderId } of orders)
      expect(new Set(shop.attemptsFor(orderId).map(({ id }) => id)).size).toBeGreaterThanOrEqual(sequences)
  }, PATIENCE)

const waiting = (queue: string): Promise<number> => broker.messageCount(stack.amqpPrefix + queue)
const queuesDrain = (): Promise<void> =>
  eventually(async () => {
    for (const queue of QUEUES) expect([queue, await waiting(queue)]).toEqual([queue, 0])
  }, PATIENCE)

const stored = (service: string, collection: string): mongo.Collection<{ _id: string }> =>
  broker.client.db(stack.databasePrefix + service).collection(collection)

/** An answer is given before its event is at the broker, and an event stays in its document until up to a second later. */
const outboxesEmpty = (): Promise<void> =>
  eventually(async () => {
    for (const documents of [stored('order_api', 'orders'), stored('payment_status', 'transactions')]) {
      const unpublished = await documents.countDocuments({ 'outbox.at': { $exists: true } })
      expect([documents.collectionName, unpublished]).toEqual([documents.collectionName, 0])
    }
  }, PATIENCE)

/** A delivery is recorded shortly after its merchant has answered. */
const deliveriesRecorded = (count: number): Promise<void> =>
  eventually(async () => {
    expect(await stored('webhook_dispatcher', 'deliveries').countDocuments({ status: 'delivered' })).toBe(count)
  }, PATIENCE)

/** Of every service, by its name: none has ended by itself. */
function checkNobodyEnded(): void {
  expect([...stack.logs().values()].join('\n')).not.toContain('uncaught error, exiting')
}

/** Pauses a service as a machine that hangs does: what is meant for it stays in the broker. */
function halt(service: string): void {
  process.kill(stack.description.services[service]?.pid ?? 0, 'SIGSTOP')
}

let backup: string
let paid: Bought[] = []
let unpaid: Bought[] = []
let lost: Bought[] = []
let unheard: Bought[] = []

test('payments, a backup, and more payments that it does not know', async () => {
  const merchant = await merchantNow()
  paid = await buy(merchant, 3)
  unpaid = await buy(merchant, 2)
  await pay(paid)
  await statusesBecome(merchant, paid, 'Success')
  await told(paid, 2)
  await told(unpaid, 1)
  await queuesDrain()
  await deliveriesRecorded(8)
  await outboxesEmpty()

  backup = join(stack.stateDir, 'backup')
  expect(await npmRun('backup', backup)).toMatchObject({ code: 0 })
  expect(existsSync(join(backup, 'manifest.json'))).toBe(true)

  // Known to the network and to the merchant, and to nothing that will be restored.
  await pay(unpaid)
  await statusesBecome(merchant, unpaid, 'Success')
  lost = await buy(merchant, 2)
  await pay(lost)
  await statusesBecome(merchant, lost, 'Success')
  await told([...unpaid, ...lost], 2)
  // Known to the broker alone: changes that nobody was told, and orders that payment-status has not heard of.
  halt('webhook-dispatcher')
  const untold = await buy(merchant, 2)
  await pay(untold)
  await statusesBecome(merchant, untold, 'Success')
  await outboxesEmpty()
  halt('payment-status')
  unheard = await buy(merchant, 2)
  await outboxesEmpty()
  await stack.kill()
  await eventually(async () => {
    expect(await waiting('webhook-dispatcher.status-changed')).toBeGreaterThanOrEqual(4)
    expect(await waiting('payment-status.order-created')).toBeGreaterThanOrEqual(2)
  }, PATIENCE)
}, 300_000)

test('a restore refuses to write over what is there, unless it is told to', async () => {
  expect(await npmRun('restore', backup)).toMatchObject({ code: 1, stderr: expect.stringContaining('npm stop') })
}, 300_000)

// Proves: operate/database-older-than-broker-nothing-ends
test('with the broker as it was: nothing ends, what was final stays final, the network tells what was lost, new payments work', async () => {
  await restoreAfterKill()
  await stack.start()
  const merchant = await merchantNow()
  await statusesBecome(merchant, paid, 'Success')
  // Paid after the backup: the enquiry after their end says so.
  await statusesBecome(merchant, unpaid, 'Success')
  await queuesDrain()
  for (const { orderId } of lost) expect((await merchant.search(orderId)).status).toBe(404)
  // What the queue knew: a transaction without an order.
  for (const { orderId, transactionId } of unheard) {
    await eventually(async () => {
      const { body } = await merchant.search(orderId)
      expect(body.data).toMatchObject({ order: { customer: { name: null } }, transaction: { id: transactionId } })
    }, PATIENCE)
  }

  const fresh = await buy(merchant, 2)
  await pay(fresh)
  await statusesBecome(merchant, fresh, 'Success')
  await told(fresh, 2)
  for (const queue of DEAD_QUEUES) expect([queue, await waiting(queue)]).toEqual([queue, 0])

  // Told of changes that are in no database any more: the audit names exactly those.
  const audit = await eventually(async () => {
    const ended = await npmRunWebhooks('audit', '--since', '1h')
    expect(ended.stdout).toMatch(/gaps: |clean: /u)
    expect(ended.stdout).not.toMatch(/^(?:overdue|dead) /mu)
    return ended
  }, PATIENCE)
  const named = [...audit.stdout.matchAll(/^(\w+) +([0-9A-Z]+)\.\d+ /gmu)].map(([, kind, id]) => `${kind} ${id}`)
  expect(named.length).toBeGreaterThan(0)
  const known = [...paid, ...unpaid, ...fresh].map(({ transactionId }) => transactionId)
  for (const gap of named) {
    expect(gap).toMatch(/^(?:no_transition|no_delivery) /u)
    if (gap.startsWith('no_transition')) expect(known).not.toContain(gap.split(' ')[1])
  }
  checkNobodyEnded()
  await stack.kill()
}, 300_000)

// Proves: operate/empty-queues-events-published-again-databases
test('with empty queues and what was committed published again: the databases agree, and the audit is clean', async () => {
  const restored = await restoreAfterKill('--empty-queues')
  expect(restored.stdout).toContain('restored')
  for (const queue of QUEUES) expect([queue, await waiting(queue)]).toEqual([queue, 0])
  // As if the backup had been made while these were on their way to the dispatcher.
  const deliveries = await deleteDeliveriesOf(paid)
  expect(deliveries).toBe(6)

  await stack.start()
  const merchant = await merchantNow()
  await statusesBecome(merchant, [...paid, ...unpaid], 'Success')
  for (const { orderId } of [...lost, ...unheard]) expect((await merchant.search(orderId)).status).toBe(404)
  const before = new Map(paid.map(({ orderId }) => [orderId, shop.attemptsFor(orderId)]))

  expect(await npmRun('republish', '1h')).toMatchObject({ code: 0, stdout: expect.stringContaining('events since') })
  await eventually(async () => {
    const ended = await npmRunWebhooks('audit', '--since', '1h')
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('clean: no gaps') })
    // What waits in an outbox is no gap yet.
    expect(ended.stdout).toContain('on_the_way 0')
  }, PATIENCE)
  // Told again as it was told before: the same bytes under the same ids.
  for (const { orderId } of paid) {
    const said = (attempts: readonly { id: string; body: string }[]) => new Set(attempts.map(({ id, body }) => `${id} ${body}`))
    await eventually(() => expect(shop.attemptsFor(orderId).length).toBeGreaterThan(before.get(orderId)?.length ?? 0), PATIENCE)
    expect(said(shop.attemptsFor(orderId))).toEqual(said(before.get(orderId) ?? []))
  }

  // What was lost may be ordered again under its own name.
  const [first] = lost
  const again = await merchant.create({ ...anOrder(), order_id: first?.orderId ?? '' })
  expect(again.status).toBe(201)
  expect(again.body.data.transaction.id).not.toBe(first?.transactionId)
  expect(await npmRun('master-keys', 'status')).toMatchObject({ code: 0 })
  expect(await npmRun('master-keys', 'reseal', 'local-1')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('0 sealed anew'),
  })
  // What was asked for since the backup is asked for again.
  const asked = again.body.data.order.order_id
  const purged = await npmRun('purge-customers', 'order', shop.merchant.credentials.merchant_id, asked)
  expect(purged).toMatchObject({ code: 0, stdout: expect.stringContaining('purged') })
  expect((await merchant.search(asked)).body.data.order.customer).toEqual({ id: null, name: null, email: null, phone: null })
  checkNobodyEnded()
}, 300_000)

async function restoreAfterKill(...flags: string[]): Promise<{ stdout: string }> {
  // A killed stack has left its description behind; this ends what is left of it.
  expect(await npmRun('stop')).toMatchObject({ code: 0 })
  const ended = await npmRun('restore', backup, '--replace', ...flags)
  expect(ended).toMatchObject({ code: 0 })
  await endOrders(unpaid)
  return ended
}

/** As if the restored database were first used after the end of these orders: then the network is asked about them. */
async function endOrders(orders: readonly Bought[]): Promise<void> {
  const ids = orders.map(({ transactionId }) => transactionId)
  const end = new Date()
  const { modifiedCount } = await stored('payment_status', 'transactions').updateMany(
    { _id: { $in: ids } },
    { $set: { expiresAt: end, dueAt: end } },
  )
  expect(modifiedCount).toBe(orders.length)
}

/** Speaks to the running stack, whatever the environment names. */
function npmRunWebhooks(...args: string[]): ReturnType<typeof npmRun> {
  return npmRun('webhooks', ...args)
}

async function deleteDeliveriesOf(orders: readonly Bought[]): Promise<number> {
  const ofThem = { order_id: { $in: orders.map(({ orderId }) => orderId) } }
  return (await stored('webhook_dispatcher', 'deliveries').deleteMany(ofThem)).deletedCount
}
