import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '@gateway/testkit/eventually'
import { startTcpProxy } from '@gateway/testkit/tcp-proxy'
import { connectDatabase, type Database } from '../src/mongo/database.ts'
import { silentLog } from '../src/logging/logger.ts'

const url = process.env['MONGO_URL'] ?? 'mongodb://127.0.0.1:27017'
const name = 'test_service_kit'

let database: Database
beforeAll(async () => {
  database = await connectDatabase({ url, name, log: silentLog })
})
afterAll(() => database.close())

// Proves: spec/6-1-5-webhook-signal-search, api/search-not-older-than-webhooks
test('reads go to the primary and return what a majority has, and a write counts when a majority has it on disk', () => {
  const { readPreference, readConcern, writeConcern } = database.connection.getClient().options
  expect(readPreference.mode).toBe('primary')
  expect(readConcern).toMatchObject({ level: 'majority' })
  expect(writeConcern).toMatchObject({ w: 'majority', journal: true })
})

test('it is up when it answers', async () => {
  expect(await database.check.isUp()).toBe(true)
  expect(database.check.critical).toBe(true)
})

test('a database is found again after a network that lost packets in the middle of commands (docs/adr/0013)', async () => {
  const { proxy, behind, close } = await connectBehindProxy()
  const load = startReading(behind)
  try {
    for (let round = 1; round <= 3; round++) {
      await load.someSucceed()
      proxy.swallow()
      await load.noneSucceeds()
      proxy.restore()
    }
    await load.someSucceed()
  } finally {
    await load.stop()
    await close()
  }
})

test('a command that waits for its socket to take it ends with its connection (docs/adr/0013)', async () => {
  const { proxy, behind, close } = await connectBehindProxy()
  const collection = behind.connection.getClient().db(name).collection('large')
  // More than the buffers between here and the proxy hold, so that the driver waits for the socket to drain.
  const documents = Array.from({ length: 30 }, () => ({ filler: 'x'.repeat(1_000_000) }))
  try {
    await collection.findOne({})
    proxy.freeze()
    await expect(collection.insertMany(documents)).rejects.toThrow(/^connection /iu)
  } finally {
    proxy.restore()
    await close()
  }
})

async function connectBehindProxy() {
  const { hostname, port } = new URL(url)
  const proxy = await startTcpProxy({ targetHost: hostname, targetPort: Number(port) })
  const behind = await connectDatabase({ url: `mongodb://127.0.0.1:${proxy.port}`, name, log: silentLog })
  const close = async (): Promise<void> => {
    await behind.close()
    await proxy.stop()
  }
  return { proxy, behind, close }
}

/** Several commands at once, again and again. */
function startReading(behind: Database) {
  const collection = behind.connection.getClient().db(name).collection('commands')
  let [isOver, succeeded] = [false, 0]
  const over = (): boolean => isOver
  const work = async (): Promise<void> => {
    while (!over()) {
      await collection.findOne({}).then(
        () => (succeeded += 1),
        () => undefined,
      )
      await sleep(5)
    }
  }
  const workers = Array.from({ length: 8 }, work)
  return {
    async someSucceed() {
      const before = succeeded
      await eventually(() => expect(succeeded).toBeGreaterThan(before + 20), { deadlineMs: 30_000 })
    },
    /** Long enough for the driver to check the server at once when a command fails; it checks at most twice a second. */
    async noneSucceeds() {
      await eventually(async () => {
        const before = succeeded
        await sleep(600)
        expect(succeeded).toBe(before)
      })
    },
    /** A command that hangs would end neither now nor later. */
    async stop() {
      isOver = true
      await Promise.all(workers)
    },
  }
}
