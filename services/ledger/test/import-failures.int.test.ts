import mongoose, { type Connection } from 'mongoose'
import { createSandbox, eventually, type Sandbox } from '@gateway/testkit'
import { silentLog, type Stoppable } from '@gateway/service-kit'
import { composeSettlements } from '../src/reconciliation/compose.ts'
import { fileView } from '../src/reconciliation/http/operator-routes.ts'
import { newUploadId } from '../src/reconciliation/persistence/settlement-chunks.ts'
import { anEntry, fileOf, lineOf } from './settlement-data.ts'

const onCollision = (): void => undefined

/** Settlement files whose import fails, on a real database. */
let sandbox: Sandbox
const connections: Connection[] = []
const importers: Stoppable[] = []
beforeAll(async () => (sandbox = await createSandbox()))
afterAll(async () => {
  await Promise.all(importers.map((importer) => importer.stop(5000)))
  await Promise.all(connections.map((connection) => connection.close()))
  await sandbox.remove([])
})

const MINUTE_MS = 60_000
const rules = { captureBusinessDays: 2, refundDays: 7, reversalDays: 5, holidays: new Set<string>(), since: undefined }

async function aLedger(name: string) {
  const connection = await mongoose.createConnection(sandbox.mongoUrl, { dbName: sandbox.database(name) }).asPromise()
  connections.push(connection)
  let clock = Date.parse('2026-11-20T00:00:00Z')
  const now = () => new Date(clock)
  const parts = composeSettlements({ connection, onCollision, now, config: { maxFileBytes: 1e9, rules }, log: silentLog })
  const chunks = connection.collection<{ _id: string; data: mongoose.mongo.Binary }>('settlement_chunks')
  return {
    ...parts,
    now,
    files: parts.stores.files,
    uploads: async () => new Set((await chunks.find({}).toArray()).map(({ _id }) => _id.split(':')[0])),
    pass: (ms: number) => (clock += ms),
    start() {
      const importer = parts.startImporter({ idleMs: 10 })
      importers.push(importer)
      return importer
    },
    async receive(...lines: string[]): Promise<string> {
      clock += 1000
      return (await parts.receiveFile([Buffer.from(fileOf(...lines))] as never, 'asha'))._id
    },
    file: async (id: string) => fileView(await parts.manage.file(id)),
    /** Puts other bytes in the place of a file's only chunk. Resolves to the bytes that were there. */
    async replaceBytes(id: string, bytes: Buffer): Promise<Buffer> {
      const { upload } = await parts.manage.file(id)
      const change = { $set: { data: new mongoose.mongo.Binary(bytes) } }
      const before = await chunks.findOneAndUpdate({ _id: `${upload}:0000000` }, change)
      return Buffer.from(before?.data.buffer ?? [])
    },
    async missing(): Promise<string[]> {
      const found = await connection.collection('differences').find({ class: 'missing_at_bank' }).toArray()
      return found.map((one) => `${String(one['reference'])} ${String(one['status'])}`)
    },
  }
}

// Proves: ledger/failing-file-does-not-block
test('a file that cannot be imported lets later ones pass, is tried again with growing pauses, and hides nothing', async () => {
  const ledger = await aLedger('failing')
  const [early, late, missing] = [anEntry('EARLY'), anEntry('LATE'), anEntry('MISSING')]
  await ledger.storeEntries([early, late, missing])
  const bad = await ledger.receive(lineOf(early))
  const bytes = await ledger.replaceBytes(bad, Buffer.from(fileOf('capture,"4111111111111111')))
  const failedAt = ledger.now().getTime() + 1000
  const good = await ledger.receive(lineOf(late, { settled_on: '2026-11-05' }))
  const importer = ledger.start()
  const failsUntil = (attempts: number, nextAt: number) =>
    eventually(async () =>
      expect(await ledger.file(bad)).toMatchObject({
        state: 'received',
        failure: {
          attempts,
          reason: expect.stringMatching(/^line 2: .*quotation mark/u) as string,
          next_attempt_at: new Date(nextAt).toISOString(),
        },
      }),
    )
  // Twice it kept its turn.
  await failsUntil(3, failedAt + MINUTE_MS)
  await eventually(async () => expect(await ledger.file(good)).toMatchObject({ state: 'imported', failure: null }))
  expect(JSON.stringify(await ledger.file(bad))).not.toContain('4111')
  expect(await ledger.files.countFailing()).toBe(1)
  // The line of EARLY is in the file that fails, so nothing is named as missing yet.
  expect(await ledger.missing()).toEqual([])

  ledger.pass(MINUTE_MS)
  await failsUntil(4, failedAt + 5 * MINUTE_MS)
  await importer.stop(5000)
  ledger.start()
  ledger.pass(4 * MINUTE_MS - 2000)
  const next = await ledger.receive(lineOf(anEntry('OTHER'), { settled_on: '2026-11-05' }))
  await eventually(async () => expect(await ledger.file(next)).toMatchObject({ state: 'imported' }))
  expect(await ledger.missing()).toEqual([])

  await ledger.replaceBytes(bad, bytes)
  ledger.pass(1000)
  await eventually(async () => expect(await ledger.file(bad)).toMatchObject({ state: 'imported', failure: null }))
  await eventually(async () => expect(await ledger.missing()).toEqual(['MISSING open']))
  const named = await Promise.all([bad, good, next].map((id) => ledger.manage.file(id)))
  expect(named.map(({ found }) => found?.['missing_at_bank'])).toEqual([1, 0, 0])
  await eventually(async () => expect(await ledger.files.owing()).toEqual([]))
  expect(await ledger.files.countFailing()).toBe(0)
})

// Proves: ledger/failing-file-does-not-block
test('an attempt that ends with its process counts; progress makes the count begin again', async () => {
  const ledger = await aLedger('cut-off')
  const { files } = ledger
  const bad = await ledger.receive(lineOf(anEntry('BAD')))
  const good = await ledger.receive(lineOf(anEntry('GOOD')))
  const LEASE_MS = 2 * MINUTE_MS
  const claim = async (by: string) => {
    const claimed = await files.claimNext(by, ledger.now(), new Date(ledger.now().getTime() + LEASE_MS))
    return typeof claimed === 'object' ? [claimed._id, claimed.attempts] : claimed
  }
  expect(await claim('one')).toEqual([bad, 1])
  expect(await claim('two')).toBe('busy')
  // The same replica may begin again at once.
  expect(await claim('one')).toEqual([bad, 2])
  const until = new Date(ledger.now().getTime() + LEASE_MS)
  expect(await files.saveProgress(bad, 'one', { imported: 1, settled_until: null }, until)).toBe(true)
  for (const attempts of [2, 3]) {
    ledger.pass(LEASE_MS)
    expect(await claim('two')).toEqual([bad, attempts])
  }
  expect(await ledger.file(bad)).toMatchObject({ failure: { attempts: 3, reason: expect.stringContaining('cut off') as string } })
  ledger.pass(LEASE_MS)
  expect(await claim('one')).toEqual([good, 1])
  // One file at a time, also when the pause of the other is over.
  ledger.pass(MINUTE_MS)
  expect(await claim('two')).toBe('busy')
  await files.finish(good, 'one', { found: {}, owesMissing: false }, ledger.now())
  expect(await claim('two')).toEqual([bad, 4])
  // A stop is no failure.
  await files.release(bad, 'two')
  expect(await claim('one')).toEqual([bad, 1])
  expect(await files.fail(bad, 'two', { at: ledger.now(), reason: 'x' })).toBeUndefined()
})

// Proves: ledger/bad-files-are-refused
test('of an upload that was cut off nothing is left after a day; the bytes of a file that fails stay', async () => {
  const ledger = await aLedger('abandoned')
  const failing = await ledger.receive(lineOf(anEntry('A')))
  await ledger.replaceBytes(failing, Buffer.from(fileOf('capture,"R1')))
  const { upload } = await ledger.manage.file(failing)
  const [old, other] = [newUploadId(ledger.now()), newUploadId(ledger.now())]
  for (const [cut, chunk] of [
    [old, 0],
    [old, 1],
    [other, 0],
  ] as const)
    await ledger.files.storeChunk(cut, chunk, Buffer.from('x'))
  ledger.pass(24 * 60 * MINUTE_MS)
  const fresh = newUploadId(ledger.now())
  await ledger.files.storeChunk(fresh, 0, Buffer.from('x'))
  expect(await ledger.uploads()).toEqual(new Set([upload, old, other, fresh]))
  ledger.pass(1000)
  ledger.start()
  await eventually(async () => expect(await ledger.uploads()).toEqual(new Set([upload, fresh])))
})
