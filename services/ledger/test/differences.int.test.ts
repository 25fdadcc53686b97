import mongoose, { type Connection } from 'mongoose'
import { newTransactionId } from '@gateway/contracts'
import { createSandbox, eventually, type Sandbox } from '@gateway/testkit'
import { silentLog } from '@gateway/service-kit'
import { composeEntries, composeSettlements } from '../src/reconciliation/compose.ts'
import { makeFindMissing } from '../src/reconciliation/use-cases/find-missing.ts'
import { makeRebuildPayments } from '../src/copying/use-cases/rebuild-payments.ts'
import { makeStoreCopies } from '../src/copying/use-cases/store-copies.ts'
import { makeSettleLines, makeStoreEntries } from '../src/reconciliation/use-cases/settle-lines.ts'
import type { Entry } from '../src/reconciliation/domain/entry.ts'
import type { SettlementRules } from '../src/reconciliation/domain/settlement-rules.ts'
import { anEntry, fileOf, lineOf } from './settlement-data.ts'

const onCollision = (): void => undefined

/** From the finding of a difference to its end, on a real database. */
let sandbox: Sandbox
const connections: Connection[] = []
const importers: { stop(deadlineMs: number): Promise<unknown> }[] = []
beforeAll(async () => (sandbox = await createSandbox()))
afterAll(async () => {
  await Promise.all(importers.map((importer) => importer.stop(5000)))
  await Promise.all(connections.map((connection) => connection.close()))
  await sandbox.remove([])
})

const rules = { captureBusinessDays: 2, refundDays: 7, reversalDays: 5, holidays: new Set<string>(), since: undefined }
const now = () => new Date('2026-11-20T00:00:00Z')

interface LedgerOptions extends Partial<SettlementRules> {
  readonly leaseMs?: number
  readonly replicas?: number
}

/** The parts of a ledger on a database of its own. */
async function aLedger(name: string, { leaseMs = 120_000, replicas = 1, ...changed }: LedgerOptions = {}) {
  const connection = await mongoose.createConnection(sandbox.mongoUrl, { dbName: sandbox.database(name) }).asPromise()
  connections.push(connection)
  const parts = composeEntries({ connection, onCollision, now })
  const settlements = composeSettlements({
    connection,
    onCollision,
    now,
    config: { maxFileBytes: 1e9, rules: { ...rules, ...changed } },
    log: silentLog,
  })
  for (let replica = 0; replica < replicas; replica++) importers.push(settlements.startImporter({ idleMs: 20, leaseMs }))
  return {
    ...parts,
    connection,
    settlementParts: settlements,
    async imported(...lines: string[]): Promise<string> {
      const { _id: id } = await settlements.receiveFile([Buffer.from(fileOf(...lines))] as never, 'asha')
      await eventually(async () => expect((await settlements.manage.file(id)).state).toBe('imported'))
      return id
    },
    /** `<class> <reference or line> <status>` of each difference, in the order of their ids. */
    async found(): Promise<string[]> {
      const all = await connection.collection('differences').find({}).sort({ class: 1, line: 1, _id: 1 }).toArray()
      return all.map((one) => `${String(one['class'])} ${String(one['reference'] ?? one['line'])} ${String(one['status'])}`)
    },
    one: (name: string) => connection.collection('differences').findOne({ class: name }),
  }
}

// Proves: ledger/differences-end-when-they-are-over
test('a difference closes when what it says is over; duplicates and unreadable lines wait for an operator', async () => {
  const ledger = await aLedger('ends')
  const refund = anEntry('T1R01', { kind: 'refund', status: 'pending' })
  const wrong = anEntry('WRONG')
  const missing = anEntry('MISSING')
  const late = anEntry('LATE')
  await ledger.storeEntries([refund, wrong, missing])
  const succeeded: Entry = { ...refund, status: 'succeeded', version: 2 }
  const file = await ledger.imported(
    ...[lineOf(succeeded), lineOf(wrong, { amount: '2.00' }), lineOf(late), lineOf(late)],
    lineOf(wrong, { reference: 'BAD', amount: 'much' }),
  )
  const [amount, duplicate, atBank, atUs, status, bad] = [
    ...['amount_differs WRONG', 'duplicate LATE', 'missing_at_bank MISSING'],
    ...['missing_at_us LATE', 'status_differs T1R01', 'unreadable 6'],
  ]
  const each = (ends: (name: string | undefined) => string) =>
    [amount, duplicate, atBank, atUs, status, bad].map((name) => `${name} ${ends(name)}`)
  expect(await ledger.found()).toEqual(each(() => 'open'))

  await ledger.storeEntries([succeeded])
  expect(await ledger.found()).toEqual(each((name) => (name === status ? 'closed' : 'open')))
  expect(await ledger.one('status_differs')).toMatchObject({ closed_by: 'late entry', ended_at: now() })
  expect(await ledger.one('status_differs')).not.toHaveProperty('open')
  await ledger.storeEntries([late, { ...wrong, amount_paise: 200, version: 2 }])
  const later = await ledger.imported(lineOf(missing, { settled_on: '2026-11-05' }))
  expect(await ledger.found()).toEqual(each((name) => (name === duplicate || name === bad ? 'open' : 'closed')))
  expect(await ledger.one('missing_at_bank')).toMatchObject({ closed_by: later, file })

  // What is found again is open again, with what the ledger says now.
  await ledger.storeEntries([{ ...succeeded, status: 'failed', version: 3 }])
  expect(await ledger.one('status_differs')).toMatchObject({
    ...{ status: 'open', open: true, ours: { status: 'failed' }, bank: { status: 'succeeded' }, closed_by: null, ended_at: null },
  })
  // An operator's word stays.
  const { _id: id } = (await ledger.one('status_differs')) ?? {}
  await ledger.settlementParts.manage.resolve(String(id), { by: 'asha', note: 'asked the bank' })
  for (const [version, state] of [...[[4, 'succeeded']], [5, 'failed']] as [number, Entry['status']][])
    await ledger.storeEntries([{ ...succeeded, status: state, version }])
  expect(await ledger.one('status_differs')).toMatchObject({ status: 'resolved', note: 'asked the bank', resolved_by: 'asha' })
})

// Proves: ledger/differences-end-when-they-are-over
test('an entry that changes while its line is compared leaves no difference behind, and hides none', async () => {
  const ledger = await aLedger('races')
  const { stores } = ledger
  const { settlements, differences } = stores
  const [before, after] = [anEntry('T2R01', { kind: 'refund', status: 'pending' }), { status: 'succeeded', version: 2 } as const]
  await ledger.storeEntries([before])
  const line = { ...before, ...after, line: 2, file: 'F', fee_paise: 0, tax_paise: 0, tr: null, rrn: null, utr: null }
  const [kept] = await settlements.keep('F', [{ ...line, settled_on: '2026-11-04', settlement_id: 'S' }])
  if (!kept) throw new Error('the line is new')
  // Between the reading of the old entry and the storing of its difference.
  const add: typeof differences.add = async (...args) => {
    if (args[0].length > 0) await ledger.storeEntries([{ ...before, ...after }])
    await differences.add(...args)
  }
  const slow = makeSettleLines({ ...stores, differences: { ...differences, add } }, now)
  await slow.fresh([kept])
  expect(await ledger.found()).toEqual(['status_differs T2R01 closed'])

  // Between the reading of an entry that agrees and the closing of its differences.
  let isFirst = true
  const close: typeof differences.close = async (...args) => {
    if (isFirst) {
      isFirst = false
      await ledger.storeEntries([{ ...before, status: 'failed', version: 3 }])
    }
    await differences.close(...args)
  }
  const closing = makeSettleLines({ ...stores, differences: { ...differences, close } }, now)
  const store = makeStoreEntries(stores, closing, onCollision)
  await store([{ ...before, ...after }])
  expect(isFirst).toBe(false)
  expect(await ledger.found()).toEqual(['status_differs T2R01 open'])
})

// Proves: ledger/differences-end-when-they-are-over
test('an entry whose line comes while it is named as missing is not missing', async () => {
  const ledger = await aLedger('missing')
  const { stores, settleLines } = ledger
  const { entries, settlements, differences } = stores
  const entry = anEntry('JUST-NOW')
  await ledger.storeEntries([entry])
  const [kept] = await settlements.keep('F', [
    {
      ...entry,
      line: 2,
      fee_paise: 0,
      tax_paise: 0,
      tr: null,
      rrn: null,
      utr: null,
      settled_on: '2026-11-04',
      settlement_id: 'S',
    },
  ])
  const add: typeof differences.add = async (...args) => {
    await differences.add(...args)
    if (args[0].length > 0 && kept) await settleLines.fresh([kept])
  }
  await makeFindMissing({ ...stores, differences: { ...differences, add } }, rules, now).ofFile('G', '2026-11-19')
  expect(await ledger.found()).toEqual(['missing_at_bank JUST-NOW closed'])
  expect((await entries.find(['capture:JUST-NOW'])).get('capture:JUST-NOW')).not.toHaveProperty('missing')
})

// Proves: ledger/differences-end-when-they-are-over
test('what an operator has resolved is not named again after a rebuild from nothing', async () => {
  const ledger = await aLedger('rebuilt')
  const entry = anEntry('WRITTEN-OFF', { transaction_id: newTransactionId(new Date(), 0) })
  await ledger.storeEntries([entry])
  await ledger.imported(lineOf(anEntry('OTHER')))
  const { _id: id } = (await ledger.one('missing_at_bank')) ?? {}
  await ledger.settlementParts.manage.resolve(String(id), { by: 'asha', note: 'written off' })
  const nothing = { storeAll: () => Promise.resolve(), removeAll: () => Promise.resolve() }
  const capture = {
    reference: entry.reference,
    amount_paise: entry.amount_paise,
    accepted: true,
    rrn: null,
    method: 'upi',
  } as const
  const at = entry.at.toISOString()
  const payment = {
    ...{ transaction_id: entry.transaction_id, order_id: entry.order_id, merchant_id: 'M1', sequence: 2, version: 1 },
    ...({ status: 'Success', amount_paise: entry.amount_paise, method: 'upi', rrn: null, failure_reason: null } as const),
    ...{ failure_code: null, payer_vpa: null, created_at: at, final_at: at, captures: [{ ...capture, at }] },
    ...{ reversals: [], refunds: [], rrns: [] },
  }
  const parts = { ...ledger, payments: nothing, refunds: nothing }
  const rebuild = makeRebuildPayments({
    ...parts,
    storeCopies: makeStoreCopies({ ...parts, hashPayer: () => '' }),
    fetchPage: () => Promise.resolve({ payments: [payment], unreadable: [], next_cursor: null }),
  })
  await rebuild({ replace: true, onProgress: () => undefined, onUnreadable: () => undefined })
  await ledger.imported(lineOf(anEntry('ANOTHER')))
  expect((await ledger.found()).filter((name) => name.startsWith('missing_at_bank'))).toEqual([
    'missing_at_bank WRITTEN-OFF resolved',
  ])
})

// Proves: ledger/no-card-in-differences
test('a line whose reference is a card number is kept nowhere, unless an entry has this reference', async () => {
  const ledger = await aLedger('cards')
  const own = anEntry('5555555555554444', { transaction_id: 'T1', order_id: 'ORD-1' })
  await ledger.storeEntries([own])
  const other = anEntry('4111111111111111', { transaction_id: 'T2', order_id: 'ORD-2' })
  await ledger.imported(lineOf(own), lineOf(other), lineOf(other))
  expect(await ledger.found()).toEqual(['unreadable 3 open', 'unreadable 4 open'])
  for (const { name } of await ledger.connection.listCollections())
    expect(JSON.stringify(await ledger.connection.collection(name).find({}).toArray())).not.toContain('4111111111111111')
  expect((await ledger.stores.entries.find(['capture:5555555555554444'])).size).toBe(1)
})

// Proves: ledger/every-difference-has-a-class, ledger/impossible-lines-are-unreadable
test('a line that contradicts its entry, or itself, is a difference and in no sum', async () => {
  const ledger = await aLedger('contradictions')
  const [one, other] = [anEntry('ONE'), anEntry('OTHER', { merchant_id: 'M2' })]
  const refund = anEntry('T1R01', { kind: 'refund', transaction_id: one.transaction_id })
  await ledger.storeEntries([one, other, refund])
  await ledger.imported(
    ...[lineOf(one, { tr: other.transaction_id }), lineOf(refund), lineOf(anEntry('NEW'), { tr: 'T-ELSEWHERE' })],
    ...[lineOf(other, { fee: '99999999.99' }), lineOf(other, { settled_on: '2026-11-22' }), lineOf(other, { tr: '' })],
  )
  expect(await ledger.found()).toEqual([
    ...['missing_at_us NEW open', 'transaction_differs ONE open', 'unreadable 5 open', 'unreadable 6 open'],
  ])
  const found = { merchant_id: 'M1', ours: { tr: one.transaction_id }, bank: { tr: other.transaction_id }, line: 2 }
  expect(await ledger.one('transaction_differs')).toMatchObject(found)
  expect(await ledger.one('missing_at_us')).toMatchObject({ ours: null, bank: { tr: 'T-ELSEWHERE' } })
  const { found: settlements } = await ledger.settlementParts.readSettlements.list('M2', {}, 10)
  expect(settlements).toMatchObject([{ settled_on: '2026-11-04', credit_paise: 49_900, fee_paise: 100, tax_paise: 18 }])
})

// Proves: ledger/settlement-days-are-kept
test('what is due is told by the day of the bank, which may be tomorrow, and not by the clock', async () => {
  const ledger = await aLedger('days')
  const [today, tomorrow] = ['2026-11-20', '2026-11-21']
  // Two business days later is today, a Friday; of the other, it is Monday.
  const [due, later] = [anEntry('DUE', { at: new Date('2026-11-18T04:30:00Z') }), anEntry('LATER', { at: now() })]
  await ledger.storeEntries([due, later, anEntry('SETTLED')])
  await ledger.imported(lineOf(anEntry('SETTLED'), { settled_on: '2026-11-19' }))
  expect(await ledger.found()).toEqual([])
  await ledger.imported(lineOf(anEntry('NEXT'), { settled_on: today }))
  expect(await ledger.found()).toEqual(['missing_at_bank DUE open', 'missing_at_us NEXT open'])

  const impatient = await aLedger('impatient', { captureBusinessDays: 0, holidays: new Set([today]) })
  await impatient.storeEntries([later])
  await impatient.imported(lineOf(anEntry('SETTLED'), { settled_on: tomorrow }))
  expect(await impatient.found()).toEqual(['missing_at_bank LATER open', 'missing_at_us SETTLED open'])
})

// Proves: ledger/two-replicas-import-once
test('two replicas that import the same file find what one finds', async () => {
  // Without a lease, each takes the file from the other.
  const ledger = await aLedger('two', { leaseMs: 0, replicas: 2 })
  const entries = Array.from({ length: 600 }, (_, index) => anEntry(`TWO-${index}`))
  await ledger.storeEntries(entries)
  const id = await ledger.imported(
    ...entries.slice(1).map((entry, index) => lineOf(entry, index === 300 ? { amount: '2.00' } : {})),
    lineOf(entries[5] ?? anEntry('TWO-5')),
  )
  expect(await ledger.found()).toEqual(['amount_differs TWO-301 open', 'duplicate TWO-5 open', 'missing_at_bank TWO-0 open'])
  expect(await ledger.settlementParts.manage.file(id)).toMatchObject({
    ...{ imported: 600, found: { amount_differs: 1, duplicate: 1, missing_at_bank: 1, missing_at_us: 0 } },
  })
})
