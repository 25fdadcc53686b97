import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../../testkit/src/eventually.ts'
import { startTcpProxy } from '../../testkit/src/tcp-proxy.ts'
import { connectDatabase, type Database } from '../src/database.ts'
import { silentLog } from '../src/logger.ts'

const url = process.env['MONGO_URL'] ?? 'mongodb://127.0.0.1:27017'
const name = 'test_service_kit'

let database: Database
beforeAll(async () => {
  database = await connectDatabase({ url, name, log: silentLog })
})
afterAll(() => database.close())

test('reads go to the primary, and a write counts when a majority has it on disk', () => {
  const { readPreference, writeConcern } = database.connection.getClient().options
  expect(readPreference.mode).toBe('primary')
  expect(writeConcern).toMatchObject({ w: 'majority', journal: true })
})

test('it is up when it answers', async () => {
  expect(await database.check.isUp()).toBe(true)
  expect(database.check.critical).toBe(true)
})

test('a database is found again, and no command hangs, after a network that lost packets in the middle of commands (docs/adr/0013)', async () => {
  const { hostname, port } = new URL(url)
  const proxy = await startTcpProxy({ targetHost: hostname, targetPort: Number(port) })
  const behind = await connectDatabase({ url: `mongodb://127.0.0.1:${proxy.port}`, name, log: silentLog })
  const load = startCommands(behind)
  try {
    for (let round = 1; round <= 5; round++) {
      await load.someSucceed()
      proxy.swallow()
      await load.noneSucceeds()
      proxy.restore()
    }
    await load.someSucceed()
    await load.stop()
  } finally {
    await behind.close()
    await proxy.stop()
  }
})

/** Several commands at once, again and again, some of them larger than what a socket takes at once. */
function startCommands(behind: Database) {
  const collection = behind.connection.getClient().db(name).collection('commands')
  const document = () => ({ filler: 'x'.repeat(10_000) })
  const insert = () => collection.insertMany(Array.from({ length: 30 }, document))
  const find = () => collection.findOne({}, { projection: { _id: 1 } })
  let [isOver, succeeded] = [false, 0]
  const over = (): boolean => isOver
  const work = async (command: () => Promise<unknown>): Promise<void> => {
    while (!over()) {
      await command().then(
        () => (succeeded += 1),
        () => undefined,
      )
      await sleep(5)
    }
  }
  const workers = [insert, find, find, find, insert, find, find, find].map(work)
  return {
    async someSucceed() {
      const before = succeeded
      await eventually(() => expect(succeeded).toBeGreaterThan(before + 20), { deadlineMs: 15_000 })
    },
    /** For so long that the driver looks at the server at once when a command fails: it does so twice a second at most. */
    async noneSucceeds() {
      await eventually(async () => {
        const before = succeeded
        await sleep(600)
        expect(succeeded).toBe(before)
      })
    },
    async stop() {
      isOver = true
      // A command that hangs would end neither now nor later.
      await Promise.all(workers)
      await collection.drop()
    },
  }
}
