/** What a restore with `--replace` must not lose: it changes nothing unless all that it needs is there. */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'amqplib'
import { eventTopology } from '@gateway/messaging'
import { createSandbox, eventually, type Sandbox } from '@gateway/testkit'
import { dump } from './dump.ts'
import { BACKED_UP, plainName } from './folder.ts'
import { restore } from './restore.ts'

const say = (): void => undefined
const NAMES = BACKED_UP.map(plainName)

let sandbox: Sandbox
let folder: string
let databasePrefix: string
let backup: string
beforeAll(async () => {
  sandbox = await createSandbox()
  folder = mkdtempSync(join(tmpdir(), 'backup-'))
  databasePrefix = sandbox.database('')
  backup = join(folder, 'whole')
  for (const name of NAMES) await things(sandbox.database(name)).insertOne({ _id: 'before' })
  await dump({ mongoUrl: sandbox.mongoUrl, databasePrefix, folder: backup, say })
})
beforeEach(async () => {
  for (const name of NAMES) await things(databasePrefix + name).replaceOne({ _id: 'since' }, {}, { upsert: true })
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await sandbox.remove([])
})

const things = (database: string) => sandbox.client.db(database).collection<{ _id: string }>('things')
const dumpOf = (prefix: string, name: string): Promise<void> =>
  dump({ mongoUrl: sandbox.mongoUrl, databasePrefix: prefix, folder: join(folder, name), say })
const replace = (from: string, amqpUrl?: string): Promise<string> => {
  const queues = amqpUrl === undefined ? undefined : { amqpUrl, amqpPrefix: sandbox.amqpPrefix }
  return restore({ mongoUrl: sandbox.mongoUrl, databasePrefix, folder: from, replace: true, queues, say })
}
async function nothingChanged(): Promise<void> {
  for (const name of NAMES) expect([name, await things(databasePrefix + name).countDocuments()]).toEqual([name, 2])
}

// Proves: operate/restore-is-exact
test('a server or prefix that holds nothing makes no backup, also when only one database is elsewhere', async () => {
  await expect(dumpOf(sandbox.database('empty_'), 'empty')).rejects.toThrow('webhook_dispatcher has no collections')
  const partly = sandbox.database('partly_')
  for (const name of NAMES.slice(0, -1)) await things(sandbox.database(`partly_${name}`)).insertOne({ _id: '1' })
  await expect(dumpOf(partly, 'empty')).rejects.toThrow('auth_token has no collections')
  expect(existsSync(join(folder, 'empty'))).toBe(false)
})

test('a backup refuses at the start everything that a restore would refuse', async () => {
  const odd = sandbox.client.db(databasePrefix + 'order_api').collection('orders.copy of may')
  await odd.insertOne({})
  await expect(dumpOf(databasePrefix, 'odd')).rejects.toThrow('order_api.orders.copy of may does not belong to the gateway')
  expect(existsSync(join(folder, 'odd'))).toBe(false)
  await odd.drop()
})

interface Database {
  name: string
  collections: unknown[]
}

// Proves: operate/restore-is-exact
test.each<[string, (databases: Database[]) => Database[], string]>([
  ['of nothing', (all) => all.map((one) => ({ ...one, collections: [] })), 'has no data of webhook_dispatcher'],
  ['without a database', (all) => all.slice(1), 'must have each of these once'],
  ['with one twice', (all) => [...all, ...all.slice(0, 1)], 'must have each of these once'],
  [
    'with another one',
    (all) => all.map((one, index) => (index === 0 ? { ...one, name: 'admin' } : one)),
    'must have each of these once',
  ],
])('a backup %s is refused, and nothing is changed', async (how, change, why) => {
  const damaged = join(folder, how)
  cpSync(backup, damaged, { recursive: true })
  const manifest = JSON.parse(readFileSync(join(backup, 'manifest.json'), 'utf8')) as { databases: Database[] }
  writeFileSync(join(damaged, 'manifest.json'), JSON.stringify({ ...manifest, databases: change(manifest.databases) }))
  await expect(replace(damaged)).rejects.toThrow(why)
  await nothingChanged()
})

// Proves: operate/restore-is-exact
test('a broker that is away, or whose queues somebody works from, changes nothing; afterwards they are emptied', async () => {
  await expect(replace(backup, 'amqp://127.0.0.1:1')).rejects.toThrow('ECONNREFUSED')
  await nothingChanged()

  const { name } = eventTopology(sandbox.amqpPrefix).queues.retries
  const connection = await connect(sandbox.amqpUrl)
  const channel = await connection.createChannel()
  await channel.assertQueue(name, { durable: false, autoDelete: false, exclusive: false })
  const { consumerTag } = await channel.consume(name, () => undefined)
  await expect(replace(backup, sandbox.amqpUrl)).rejects.toThrow(`still consumes from ${name}`)
  await nothingChanged()

  await channel.cancel(consumerTag)
  channel.sendToQueue(name, Buffer.from('{}'))
  await eventually(async () => expect((await channel.checkQueue(name)).messageCount).toBe(1))
  await replace(backup, sandbox.amqpUrl)
  for (const database of NAMES) expect(await things(databasePrefix + database).countDocuments()).toBe(1)
  expect(await channel.deleteQueue(name)).toEqual({ messageCount: 0 })
  await connection.close()
})
