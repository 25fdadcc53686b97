/** A database that is older than everything around it (docs/operations/backup-and-restore.md), with the operators' commands. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { anOrder, eventually } from '@gateway/testkit'
import type { PlacedOrder } from './support/merchant.ts'
import { makeRefunds, type RefundsBeforeBackup } from './support/refunds-before-backup.ts'
import { buy, DEADLINE, QUEUES, startRestoreWorld, statusesBecome, type RestoreWorld } from './support/restore-world.ts'

const DEAD_QUEUES = ['payment-status.dead', 'webhook-dispatcher.dead']

let world: RestoreWorld
beforeAll(async () => {
  world = await startRestoreWorld()
}, 300_000)
afterAll(() => world.stop(), 300_000)

let backup: string
let paid: PlacedOrder[] = []
let unpaid: PlacedOrder[] = []
let lost: PlacedOrder[] = []
let undelivered: PlacedOrder[] = []
let unadopted: PlacedOrder[] = []
let refunds: RefundsBeforeBackup

test('payments, a backup, and payments after the backup', async () => {
  const merchant = world.merchantNow()
  paid = await buy(merchant, 3)
  unpaid = await buy(merchant, 2)
  await world.pay(paid)
  await statusesBecome(merchant, paid, 'Success')
  await world.webhooksArrive(paid, 2)
  await world.webhooksArrive(unpaid, 1)
  refunds = await makeRefunds(world)
  await world.queuesDrain()
  // Of the payments, of the refunded payments, and of their refunds.
  await world.deliveriesRecorded(8 + 4 + 3)
  await world.outboxesEmpty()

  backup = join(world.stack.stateDir, 'backup')
  expect(await world.npmRun('backup', backup)).toMatchObject({ code: 0 })
  expect(existsSync(join(backup, 'manifest.json'))).toBe(true)

  // The network and the merchant know these, the backup does not.
  await world.pay(unpaid)
  await statusesBecome(merchant, unpaid, 'Success')
  lost = await buy(merchant, 2)
  await world.pay(lost)
  await statusesBecome(merchant, lost, 'Success')
  await world.webhooksArrive([...unpaid, ...lost], 2)
  await refunds.endPending()
  // Only the broker knows these: changes without a webhook, and orders without a transaction.
  world.halt('webhook-dispatcher')
  undelivered = await buy(merchant, 2)
  await world.pay(undelivered)
  await statusesBecome(merchant, undelivered, 'Success')
  await world.outboxesEmpty()
  world.halt('payment-status')
  unadopted = await buy(merchant, 2)
  await world.outboxesEmpty()
  await world.stack.kill()
  await eventually(async () => {
    expect(await world.depth('webhook-dispatcher.status-changed')).toBeGreaterThanOrEqual(4)
    expect(await world.depth('payment-status.order-created')).toBeGreaterThanOrEqual(2)
  }, DEADLINE)
}, 300_000)

test('a restore refuses to replace data without --replace', async () => {
  expect(await world.npmRun('restore', backup)).toMatchObject({ code: 1, stderr: expect.stringContaining('npm stop') })
}, 300_000)

// Proves: operate/database-older-than-broker, refunds/go-on-after-a-restore
test('with the broker as it was: no service exits, final statuses stay, the network reports lost payments, new payments work', async () => {
  await restoreAfterKill()
  await world.stack.start()
  const merchant = world.merchantNow()
  await statusesBecome(merchant, paid, 'Success')
  // Paid after the backup: the enquiry after their end reports it.
  await statusesBecome(merchant, unpaid, 'Success')
  await refunds.areAtTheNetwork()
  await world.queuesDrain()
  for (const { orderId } of lost) expect(await merchant.gateway.orders.find(orderId)).toBeUndefined()
  // Opened from the queue: a transaction without an order.
  for (const { orderId, transactionId } of unadopted) {
    await eventually(async () => {
      expect(await merchant.search(orderId)).toMatchObject({
        order: { customer: { name: null } },
        transaction: { id: transactionId },
      })
    }, DEADLINE)
  }

  const fresh = await buy(merchant, 2)
  await world.pay(fresh)
  await statusesBecome(merchant, fresh, 'Success')
  await world.webhooksArrive(fresh, 2)
  for (const queue of DEAD_QUEUES) expect([queue, await world.depth(queue)]).toEqual([queue, 0])

  // The audit names exactly the deliveries whose changes were lost.
  const audit = await eventually(async () => {
    const ended = await world.npmRun('webhooks', 'audit', '--since', '1h')
    expect(ended.stdout).toMatch(/gaps: |clean: /u)
    expect(ended.stdout).not.toMatch(/^(?:overdue|dead) /mu)
    // Their changes were in the dispatcher's queue, and are in no database.
    for (const { transactionId } of undelivered)
      expect(ended.stdout).toMatch(new RegExp(`^no_transition +${transactionId}\\.`, 'mu'))
    return ended
  }, DEADLINE)
  const named = [...audit.stdout.matchAll(/^(\w+) +([0-9A-Z]+)\.\d+ /gmu)].map(([, kind, id]) => `${kind} ${id}`)
  expect(named.length).toBeGreaterThan(0)
  const known = [...paid, ...unpaid, ...fresh, ...refunds.orders].map(({ transactionId }) => transactionId)
  for (const gap of named) {
    expect(gap).toMatch(/^(?:no_transition|no_delivery) /u)
    if (gap.startsWith('no_transition')) expect(known).not.toContain(gap.split(' ')[1])
  }
  world.checkNoneExited()
  await world.stack.kill()
}, 300_000)

// Proves: operate/republish-after-restore, refunds/go-on-after-a-restore
test('with empty queues and events published again: the databases agree, and the audit is clean', async () => {
  const restored = await restoreAfterKill('--empty-queues')
  expect(restored.stdout).toContain('restored')
  for (const queue of QUEUES) expect([queue, await world.depth(queue)]).toEqual([queue, 0])
  // As if these events had been on their way to the dispatcher during the backup.
  const deliveries = await world.deleteDeliveriesOf(paid)
  expect(deliveries).toBe(6)
  expect(await world.deleteDeliveriesOf(refunds.orders)).toBe(4 + 3)

  await world.stack.start()
  const merchant = world.merchantNow()
  await statusesBecome(merchant, [...paid, ...unpaid], 'Success')
  for (const { orderId } of [...lost, ...unadopted]) expect(await merchant.gateway.orders.find(orderId)).toBeUndefined()
  await refunds.areAtTheNetwork()
  const timesSent = refunds.timesSent()
  expect(timesSent).toHaveLength(3)
  const before = new Map(paid.map(({ orderId }) => [orderId, world.site.attemptsFor(orderId)]))

  expect(await world.npmRun('republish', '1h')).toMatchObject({ code: 0, stdout: expect.stringContaining('events since') })
  await eventually(async () => {
    const ended = await world.npmRun('webhooks', 'audit', '--since', '1h')
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('clean: no gaps') })
    // An event in an outbox is not a gap yet.
    expect(ended.stdout).toContain('on_the_way 0')
  }, DEADLINE)
  await eventually(() => {
    for (const [index, times] of refunds.timesSent().entries()) expect(times).toBeGreaterThan(timesSent[index] ?? 0)
  }, DEADLINE)
  // The same bytes again, with the same ids.
  for (const { orderId } of paid) {
    const sent = (attempts: readonly { id: string; body: string }[]) => new Set(attempts.map(({ id, body }) => `${id} ${body}`))
    await eventually(
      () => expect(world.site.attemptsFor(orderId).length).toBeGreaterThan(before.get(orderId)?.length ?? 0),
      DEADLINE,
    )
    expect(sent(world.site.attemptsFor(orderId))).toEqual(sent(before.get(orderId) ?? []))
  }

  // A lost order can be created again with its order_id.
  const [first] = lost
  const again = await merchant.gateway.orders.create({ ...anOrder(), order_id: first?.orderId ?? '' })
  expect(again.created).toBe(true)
  expect(again.transaction.id).not.toBe(first?.transactionId)
  expect(await world.npmRun('master-keys', 'status')).toMatchObject({ code: 0 })
  expect(await world.npmRun('master-keys', 'reseal', 'local-1')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('0 sealed anew'),
  })
  // A purge since the backup is requested again.
  const asked = again.order.order_id
  const purged = await world.npmRun('purge-customers', 'order', world.site.merchant.credentials.merchant_id, asked)
  expect(purged).toMatchObject({ code: 0, stdout: expect.stringContaining('purged') })
  expect((await merchant.search(asked)).order.customer).toEqual({ id: null, name: null, email: null, phone: null })
  world.checkNoneExited()
}, 300_000)

async function restoreAfterKill(...flags: string[]): Promise<{ stdout: string }> {
  // A killed stack leaves its description behind; `stop` ends its processes.
  expect(await world.npmRun('stop')).toMatchObject({ code: 0 })
  const ended = await world.npmRun('restore', backup, '--replace', ...flags)
  expect(ended).toMatchObject({ code: 0 })
  await world.endOrders(unpaid)
  return ended
}
