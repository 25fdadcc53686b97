import mongoose, { type Connection } from 'mongoose'
import { eventually, createSandbox, startChildService, type Sandbox } from '@gateway/testkit'
import { silentLog } from '@gateway/service-kit'
import { composeEntries, composeSettlements } from '../src/reconciliation/compose.ts'
import { anEntry, fileOf, lineOf } from './settlement-data.ts'

const onCollision = (): void => undefined

let sandbox: Sandbox
const connections: Connection[] = []
beforeAll(async () => (sandbox = await createSandbox()))
afterAll(async () => {
  await Promise.all(connections.map((connection) => connection.close()))
  await sandbox.remove([])
})

const rules = { captureBusinessDays: 2, refundDays: 7, reversalDays: 5, holidays: new Set<string>(), since: undefined }
const LINES = 12_000

/** A ledger's database with entries, and a file that differs from them in every way. */
async function prepare(name: string) {
  const database = sandbox.database(name)
  const connection = await mongoose.createConnection(sandbox.mongoUrl, { dbName: database }).asPromise()
  connections.push(connection)
  const now = () => new Date('2026-11-20T00:00:00Z')
  const { storeEntries } = composeEntries({ connection, onCollision, now })
  const entries = Array.from({ length: LINES }, (_, index) => anEntry(`R${index}`, { merchant_id: `M${index % 3}` }))
  for (let first = 0; first < LINES; first += 1000) await storeEntries(entries.slice(first, first + 1000))
  const lines = entries.flatMap((entry, index) => {
    if (index % 97 === 0) return []
    if (index % 89 === 0) return [lineOf(entry, { amount: '2.00' })]
    if (index % 83 === 0) return [lineOf(entry), lineOf(entry)]
    if (index % 79 === 0) return [lineOf({ ...entry, reference: `OTHER-${index}` }), lineOf(entry)]
    return [index % 73 === 0 ? lineOf(entry, { status: 'failed' }) : lineOf(entry)]
  })
  const { receiveFile } = composeSettlements({
    connection,
    onCollision,
    now,
    config: { maxFileBytes: 1e9, rules },
    log: silentLog,
  })
  const file = await receiveFile([Buffer.from(fileOf(...lines))] as never, 'asha')
  const read = async (collection: string): Promise<unknown[]> =>
    (await connection.collection(collection).find({}).sort({ _id: 1 }).toArray()).map(
      ({ found_at: _found, ended_at: _ended, ...document }) => document,
    )
  const progress = async () => connection.collection('settlement_files').findOne({ _id: file._id as never })
  return { database, read, progress }
}

const untilImported = (progress: () => Promise<Record<string, unknown> | null>) =>
  eventually(async () => expect(await progress()).toMatchObject({ state: 'imported' }), { deadlineMs: 120_000 })

// Proves: ledger/import-survives-kills
test('an import that is killed three times finds the same as one that is not', async () => {
  const [whole, killed] = [await prepare('whole'), await prepare('killed')]
  const run = (database: string) =>
    startChildService({
      script: new URL('import-child.ts', import.meta.url),
      env: { MONGO_URL: sandbox.mongoUrl, DATABASE: database },
    })
  const importer = await run(whole.database)
  await untilImported(whole.progress)
  importer.kill('SIGKILL')

  for (const share of [0.2, 0.5, 0.8]) {
    const victim = await run(killed.database)
    await eventually(async () => expect((await killed.progress())?.['imported']).toBeGreaterThan(LINES * share), {
      deadlineMs: 120_000,
      pauseMs: 5,
    })
    victim.kill('SIGKILL')
    expect(await victim.ended).toBe('SIGKILL')
    expect(await killed.progress()).toMatchObject({ state: 'received' })
  }
  const last = await run(killed.database)
  await untilImported(killed.progress)
  last.kill('SIGKILL')

  const found = await killed.read('differences')
  expect(found.length).toBeGreaterThan(500)
  expect(found).toEqual(await whole.read('differences'))
  for (const name of ['entries', 'settlement_lines', 'settlement_merchant_lines', 'settlements'])
    expect(await killed.read(name)).toEqual(await whole.read(name))
  expect((await killed.progress())?.['found']).toEqual((await whole.progress())?.['found'])
  expect(await killed.read('settlement_chunks')).toEqual([])
}, 300_000)
