/** Backup and restore of the databases, as operators type them. What happens to a gateway that lives on is in e2e. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mongo } from 'mongoose'
import { createSandbox, runScript, type EndedScript, type Sandbox } from '@gateway/testkit'
import { BACKED_UP, BACKED_UP_IF_THERE, plainName, readManifest } from './folder.ts'

const COMMANDS = new URL('../commands/data.ts', import.meta.url)
const RAW = { promoteValues: false, promoteBuffers: false, promoteLongs: false } as const
const { ObjectId, Long, Double, Int32, Binary } = mongo

let sandbox: Sandbox
let folder: string
beforeAll(async () => {
  sandbox = await createSandbox()
  folder = mkdtempSync(join(tmpdir(), 'backup-'))
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await sandbox.remove([])
})

/** A stack's prefix, whose databases are removed at the end. */
function prefixOf(stack: string): string {
  for (const service of [...BACKED_UP, BACKED_UP_IF_THERE]) sandbox.database(`${stack}_${plainName(service)}`)
  return sandbox.database(`${stack}_`)
}

const npmRun = (prefix: string, name: string, ...args: string[]): Promise<EndedScript> =>
  runScript({
    script: COMMANDS,
    args: [name, ...args],
    env: { MONGO_URL: sandbox.mongoUrl, DATABASE_PREFIX: prefix, STACK_DIR: join(folder, 'state'), HOME: process.env['HOME'] },
  })

/** Every document of every collection, byte for byte. */
async function contents(prefix: string): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {}
  for (const service of [...BACKED_UP, BACKED_UP_IF_THERE]) {
    const db = sandbox.client.db(prefix + plainName(service))
    for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray()) {
      const documents = await db.collection(name).find({}, RAW).toArray()
      if (documents.length === 0) continue
      found[`${plainName(service)}.${name}`] = documents
        .map((document) => Buffer.from(mongo.BSON.serialize(document)).toString('base64'))
        .toSorted()
    }
  }
  return found
}

/** What the services store, and every type that BSON has for it. */
async function fill(prefix: string): Promise<void> {
  const into = (database: string, collection: string, documents: mongo.Document[]): Promise<unknown> =>
    sandbox.client
      .db(prefix + database)
      .collection(collection)
      .insertMany(documents)
  await into(
    'order_api',
    'orders',
    Array.from({ length: 1201 }, (_, number) => ({
      _id: `M1:ORD-${number}`,
      transaction_id: `T${number}`,
      amount_paise: number % 2 ? new Double(100) : new Int32(100),
      outbox: [],
      customer: { id: null, name: 'आशा' },
      created_at: new Date(number),
    })),
  )
  await into(
    'auth_token',
    'signing_keys',
    [1, 2, 3].map((_id) => ({ _id, big: Long.fromString('9007199254740993') })),
  )
  await into('auth_token', 'audit_log', [{ _id: new ObjectId(), bytes: new Binary(Buffer.from([0, 255])) }])
  await into('payment_status', 'transactions', [{ _id: 'T1', order_key: 'M1:ORD-1', due_at: new Date(), payer: null }])
  await into('ledger', 'differences', [{ _id: 'F:duplicate:000000007', status: 'open', line: new Int32(7) }])
  await into('webhook_dispatcher', 'deliveries', [{ _id: 'T1.1', body: '{"a": 1}', finished_at: null, created_at: new Date() }])
}

// Proves: operate/restore-is-exact
test('a backup restored into another stack is exact to the byte', async () => {
  const [one, other] = [prefixOf('one'), prefixOf('other')]
  await fill(one)
  const backup = join(folder, 'whole')
  const saved = await npmRun(one, 'backup', backup)
  expect(saved).toMatchObject({ code: 0, stderr: '' })
  expect(saved.stdout).toContain('order_api.orders: 1201 documents')
  expect(statSync(join(backup, 'order_api/orders.bson.gz')).mode & 0o777).toBe(0o600)

  const restored = await npmRun(other, 'restore', backup)
  expect(restored.code).toBe(0)
  const [before, after] = [await contents(one), await contents(other)]
  expect(Object.keys(before)).toHaveLength(6)
  expect(after).toEqual(before)
  // One of them would remove what a deployment wants to keep for longer than we would.
  const indexes = await sandbox.client.db(`${other}webhook_dispatcher`).collection('deliveries').listIndexes().toArray()
  expect(indexes.map(({ name }) => String(name))).toEqual(['_id_'])
  const began = readManifest(backup).databases.map(({ began_at: at }) => at)
  expect(restored.stdout).toContain(`npm run republish -- ${began[0]}`)
  expect(began).toEqual(began.toSorted())

  await refusals(other, backup)
})

/** On the same backup, since each command costs a second. */
async function refusals(used: string, backup: string): Promise<void> {
  const before = await contents(used)
  expect(await npmRun(used, 'restore', backup)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is not empty; use --replace'),
  })
  expect(await contents(used)).toEqual(before)

  expect(await npmRun(used, 'backup', backup)).toMatchObject({ code: 1, stderr: expect.stringContaining('is not empty') })
  expect(await npmRun(used, 'restore', join(folder, 'nothing'))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is not a complete backup'),
  })

  await sandbox.client.db(`${used}order_api`).collection<{ _id: string }>('orders').insertOne({ _id: 'M1:LATER' })
  expect(await npmRun(used, 'restore', backup, '--replace')).toMatchObject({ code: 0 })
  expect(await contents(used)).toEqual(before)

  appendFileSync(join(backup, 'auth_token/signing_keys.bson.gz'), 'x')
  expect(await npmRun(used, 'restore', backup, '--replace')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('auth_token/signing_keys.bson.gz is missing or damaged; nothing was changed'),
  })
  expect(await contents(used)).toEqual(before)
}

// Proves: operate/backup-references-exist
test('a backup made during writes is complete: documents with references are read before their targets', async () => {
  const stack = prefixOf('busy')
  await fill(stack)
  const orders = sandbox.client.db(`${stack}order_api`).collection<{ _id: string; transaction_id: string }>('orders')
  const transactions = sandbox.client.db(`${stack}payment_status`).collection<{ _id: string; order_key: string }>('transactions')
  let [stopped, number] = [false, 0]
  const writing = (async () => {
    while (!stopped) {
      number += 1
      await orders.insertOne({ _id: `M2:${number}`, transaction_id: `W${number}` })
      await transactions.insertOne({ _id: `W${number}`, order_key: `M2:${number}` })
    }
  })()
  const backup = join(folder, 'busy')
  expect(await npmRun(stack, 'backup', backup)).toMatchObject({ code: 0 })
  stopped = true
  await writing

  const restored = prefixOf('after')
  expect(await npmRun(restored, 'restore', backup)).toMatchObject({ code: 0 })
  const keys = await sandbox.client
    .db(`${restored}payment_status`)
    .collection<{ _id: string; order_key: string }>('transactions')
    .find({ _id: /^W/u })
    .toArray()
  expect(number).toBeGreaterThan(0)
  const found = sandbox.client.db(`${restored}order_api`).collection<{ _id: string }>('orders')
  for (const { order_key } of keys) expect(await found.findOne({ _id: order_key })).not.toBeNull()
  const manifest = readFileSync(join(backup, 'manifest.json'), 'utf8')
  expect(manifest.indexOf('"payment_status"')).toBeLessThan(manifest.indexOf('"order_api"'))
})

test.each([
  [['backup'], 'one folder: npm run backup -- <folder>'],
  [['backup', 'a', 'b'], 'one folder'],
  [['restore', 'a', '--force'], "Unknown option '--force'"],
])('%j is refused with a word on it', async ([name = '', ...args], word) => {
  expect(await npmRun('none_', name, ...args)).toMatchObject({ code: 1, stderr: expect.stringContaining(word) })
})
