/** Callbacks that reach replicas with recent copies; integration tests prove the guard of a save on a real database. */
import fc from 'fast-check'
import type { NetworkReport } from '@gateway/contracts'
import { at, opened, orderCreatedEvent, report, timing } from '../../../test/data.ts'
import {
  createTransactions,
  type Decision,
  makeChangeTransaction,
  openTransaction,
  type Transaction,
  type TransactionStore,
} from '../../payments/index.ts'
import { makeGuardReport, makeQuarantineReport, makeRecordReport } from './record-report.ts'

const { id } = opened()

/** One database and replicas of the service on it. */
function begin(replicas: number) {
  const stored = new Map<string, Transaction>()
  const published: string[] = []
  const state = { reads: 0 }
  const write = ({ transaction, events }: Decision): true => {
    stored.set(transaction.id, transaction)
    published.push(...events.map((event) => event.id))
    return true
  }
  const store: TransactionStore = {
    find: async (wanted) => {
      state.reads += 1
      return stored.get(wanted)
    },
    findByOrder: async () => undefined,
    findMissing: async () => [],
    flushInserts: ignore,
    insert: async (decision) => !stored.has(decision.transaction.id) && write(decision),
    save: async (before, decision) => stored.get(before.id)?.version === before.version && write(decision),
    claimDue: async () => ({ transactions: [], more: false }),
    claimDueRefunds: async () => ({ transactions: [], more: false }),
  }
  const start = () => replicaOn(store)
  return {
    all: Array.from({ length: replicas }, start),
    start,
    published,
    state,
    remove: () => stored.delete(id),
    transaction: () => stored.get(id),
  }
}

function replicaOn(store: TransactionStore) {
  const log = { info: ignore, warn: ignore, error: ignore, debug: ignore }
  const alerts = { inc: ignore }
  const now = () => at(60)
  const transactions = createTransactions(store, ignore, now)
  const recordReport = makeRecordReport({
    adopt: { byId: (wanted) => transactions.find(wanted) },
    change: makeChangeTransaction(transactions),
    transactions,
    guardReport: makeGuardReport(log, alerts),
    returnAtOnce: async () => true,
    quarantineReport: makeQuarantineReport({ quarantine: { add: async () => true }, now, log, alerts }),
    timing,
    now,
  })
  return { recordReport, open: () => transactions.open(openTransaction(orderCreatedEvent())) }
}

const ignore = (): void => undefined
const send = (to: { recordReport: ReturnType<typeof makeRecordReport> } | undefined, sent: NetworkReport) =>
  to?.recordReport(Buffer.from(JSON.stringify(sent)))

const outcomes: fc.Arbitrary<NetworkReport> = fc.record({
  reference: fc.constantFrom('R1', 'R2'),
  tr: fc.constant(id),
  outcome: fc.constantFrom('success', 'failed', 'pending'),
  amount: fc.constantFrom('499.00', '1.00'),
  method: fc.constant('upi'),
})

test('a report has the same effect at any replica, with or without a recent copy', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(outcomes, fc.nat({ max: 2 })), { maxLength: 8 }),
      fc.nat({ max: 2 }),
      async (sent, first) => {
        const [many, one] = [begin(3), begin(1)]
        await many.all[first]?.open()
        await one.all[0]?.open()
        for (const [each, replica] of sent) {
          expect(await send(many.all[replica], each)).toBe('recorded')
          // A replica that has just started has no copies.
          await send(one.start(), each)
        }
        expect(many.transaction()).toEqual(one.transaction())
        expect(many.published).toEqual(one.published)
      },
    ),
  )
})

test('a replica that has opened a transaction reads nothing for its callback', async () => {
  const { all, state, transaction } = begin(1)
  await all[0]?.open()
  await send(all[0], report())
  expect([transaction()?.status, state.reads]).toEqual(['Success', 0])
})

test('a transaction that is no longer stored is looked for as if there were no copy', async () => {
  const { all, remove, transaction } = begin(1)
  await all[0]?.open()
  remove()
  expect(await send(all[0], report())).toBe('quarantined')
  expect(transaction()).toBeUndefined()
})
