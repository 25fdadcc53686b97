/** The operators' webhook commands (docs/operations/webhooks.md) against a running stack. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { anOrder, eventually } from '@gateway/testkit'
import { mongo } from 'mongoose'
import { startStack, type RunningStack } from './support/running-stack.ts'
import { openMerchantSite, type MerchantSite } from './support/merchant-site.ts'

const COMMANDS = join(import.meta.dirname, '../infra/local/commands')
/** A delivery is dead after two attempts. */
const ATTEMPTS = 2

let stack: RunningStack
let site: MerchantSite
beforeAll(async () => {
  stack = await startStack({ WEBHOOK_RETRY_DELAYS: '1s', WEBHOOK_AUDIT_GRACE: '1s' })
  site = await openMerchantSite(stack.description, 'Operated Stores')
}, 300_000)
afterAll(async () => {
  await site.close()
  await stack.remove()
}, 300_000)

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs `npm run webhooks -- …` until it ends. */
function webhooks(...args: string[]): Promise<Ended> {
  const options = { env: { ...process.env, STACK_DIR: stack.stateDir }, timeout: 180_000 }
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [join(COMMANDS, 'webhooks.ts'), ...args], options, (_failed, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    )
  })
}

/** Creates an order whose first webhook is refused until its delivery is dead. Resolves to the delivery's id. */
async function createDeadDelivery(): Promise<string> {
  const order = anOrder()
  site.refuseFirst(order.order_id, ATTEMPTS)
  await site.merchant.gateway.orders.create(order)
  const ids = () => site.attemptsFor(order.order_id).map(({ id }) => id)
  await eventually(() => expect(ids()).toHaveLength(ATTEMPTS), { deadlineMs: 30_000 })
  const [id = ''] = ids()
  await eventually(async () => expect((await webhooks('list')).stdout).toContain(id), { deadlineMs: 30_000 })
  return id
}
const inspect = async (id: string): Promise<unknown> => JSON.parse((await webhooks('inspect', id)).stdout)
const acknowledged = (id: string) =>
  eventually(async () => expect(await inspect(id)).toMatchObject({ id, status: 'delivered' }), {
    deadlineMs: 30_000,
  })

// Proves: webhooks/operators-list-and-replay
test('a dead delivery is listed with its reason, inspected with its attempts, and sent again', async () => {
  const id = await createDeadDelivery()
  const listed = await webhooks('list', 'dead', '--since', '1h', '--reason', 'exhausted', '--url', site.webhookUrl)
  expect(listed).toMatchObject({ code: 0, stdout: expect.stringContaining(`${id}  ${site.merchant.credentials.merchant_id}`) })
  expect(listed.stdout).toMatch(/exhausted {2}2 attempts {2}last 500 .*\n1 dead\n$/u)
  const inspected = await webhooks('inspect', id)
  expect(JSON.parse(inspected.stdout)).toMatchObject({
    id,
    status: 'dead',
    attempts: [{ status_code: 500 }, { status_code: 500 }],
  })

  const replayed = await webhooks('replay', id)
  expect(replayed).toMatchObject({ code: 0, stdout: expect.stringContaining(`${id} is being sent again`) })
  await acknowledged(id)
  expect(await webhooks('list')).toMatchObject({ code: 0, stdout: '0 dead\n' })
  expect(await webhooks('replay', id)).toMatchObject({ code: 1, stderr: expect.stringContaining('Only a dead delivery') })
}, 300_000)

test('all deliveries that match a filter are sent again with one command', async () => {
  const ids = [await createDeadDelivery(), await createDeadDelivery()]
  const merchant = site.merchant.credentials.merchant_id
  const ofAnother = await webhooks('replay', '--all', '--merchant', 'mer_of_somebody_else')
  expect(ofAnother.stdout).toBe('0 sent again, 0 skipped; finished\n')
  const ofThisOne = await webhooks('replay', '--all', '--merchant', merchant, '--rate', '50')
  expect(ofThisOne).toMatchObject({ code: 0, stdout: expect.stringMatching(/2 sent again, 0 skipped; finished\n$/u) })
  for (const id of ids) await acknowledged(id)
}, 300_000)

// Proves: webhooks/audit-names-every-gap
test('the audit is clean, and names a delivery record that was deleted', async () => {
  const order = anOrder()
  await site.merchant.gateway.orders.create(order)
  await eventually(() => expect(site.attemptsFor(order.order_id)).toHaveLength(1), { deadlineMs: 30_000 })
  const id = site.attemptsFor(order.order_id)[0]?.id ?? ''
  await acknowledged(id)
  expect(await webhooks('audit', '--since', '1h')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/clean: no gaps\n$/u),
  })

  const client = await mongo.MongoClient.connect(stack.description.mongo_url)
  const records = client.db(`${stack.databasePrefix}webhook_dispatcher`).collection<{ _id: string }>('deliveries')
  expect((await records.deleteOne({ _id: id })).deletedCount).toBe(1)
  await client.close()
  const audited = await eventually(async () => {
    const ended = await webhooks('audit', '--since', '1h')
    expect(ended).toMatchObject({ code: 1, stdout: expect.stringContaining(`no_delivery    ${id}`) })
    return ended
  })
  expect(audited.stdout).toMatch(/1 gaps: no_delivery 1/u)
}, 300_000)

test('at first there are no retired queues', async () => {
  expect(await webhooks('retired-queues')).toMatchObject({ code: 0 })
}, 300_000)

test.each([
  [['replay'], 'replay takes a delivery id, or --all'],
  [['replay', '--all', '--rate', '0'], '--rate must be a whole number from 1 to 200'],
  [['list', 'alive'], 'list takes dead or retrying'],
  [['list', '--since', 'yesterday'], '--since must be a time such as'],
  [['list', '--sinse', '1h'], "Unknown option '--sinse'"],
  [['inspect'], 'inspect takes one delivery id'],
  [['inspect', 'unknown.1'], 'Not found'],
  [['revive'], 'npm run webhooks -- list'],
])(
  '%j is refused with a message',
  async (args, message) => {
    const { code, stderr } = await webhooks(...args)
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)])
  },
  300_000,
)
