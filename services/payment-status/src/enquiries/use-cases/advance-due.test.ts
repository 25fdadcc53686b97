import { setTimeout as sleep } from 'node:timers/promises'
import { silentLog } from '@gateway/service-kit'
import { eventually } from '@gateway/testkit/eventually'
import type { EnquiryAnswer } from '../domain/enquiry-answer.ts'
import { nextDueAt, type Transaction } from '../../payments/index.ts'
import { at, opened, timing } from '../../../test/data.ts'
import { makeAdvanceDue } from './advance-due.ts'

const NOTHING: EnquiryAnswer = { kind: 'known', payments: [] }

/** Expired orders, a store in memory with leases, and a network that answers when the test says so. */
function startWork(count: number) {
  const stored = new Map<string, Transaction>()
  const leases = new Map<string, Date>()
  for (let number = 0; number < count; number++) stored.set(`T${number}`, opened({ transaction_id: `T${number}` }))
  let seconds = 1200
  const now = (): Date => at(seconds)
  const pending = new Map<string, (answer: EnquiryAnswer) => void>()
  const asked: string[] = []
  const dueOf = (transaction: Transaction): Date | null => leases.get(transaction.id) ?? nextDueAt(transaction)
  const work = makeAdvanceDue({
    transactions: {
      async claimDue(instant, leaseMs, limit) {
        const due = [...stored.values()].filter((transaction) => (dueOf(transaction) ?? at(1e9)) <= instant)
        const transactions = due.slice(0, limit)
        for (const { id } of transactions) leases.set(id, new Date(instant.getTime() + leaseMs))
        return { transactions, more: due.length > limit }
      },
    },
    async change(before, decide) {
      const decision = decide(stored.get(before.id) ?? before)
      if (decision.changed) leases.delete(before.id)
      stored.set(before.id, decision.transaction)
      return decision
    },
    network: {
      enquire(id) {
        asked.push(id)
        return new Promise((resolve) => pending.set(id, resolve))
      },
      reverse: () => Promise.reject(new Error('no reversal is due')),
    },
    returnAtOnce: () => Promise.reject(new Error('no money is beyond the bound')),
    timing,
    now,
    log: silentLog,
  })
  return {
    ...{ work, asked, pending, stored },
    later: (more: number) => void (seconds += more),
    answer: (id: string): void => {
      pending.get(id)?.(NOTHING)
      pending.delete(id)
    },
    closing: () => [...stored.values()].filter(({ closing }) => closing !== null).length,
    /** Steps until one finds nothing more to do. */
    run: async () => {
      while (await work.step());
    },
  }
}

// Proves: state/slow-connector-delays-nothing-else
test('enquiries that hang delay no expiry', async () => {
  const { run, closing, asked } = startWork(300)
  await run()
  expect(closing()).toBe(300)
  expect(asked).toHaveLength(50)
})

// Proves: state/slow-connector-delays-nothing-else
test('each answer makes room for the next enquiry: one that hangs holds up only itself', async () => {
  const { run, asked, answer } = startWork(60)
  await run()
  for (let number = 1; number < 11; number++) answer(`T${number}`)
  await eventually(() => expect(asked).toHaveLength(60))
  expect(new Set(asked).size).toBe(60)
})

// Proves: state/slow-connector-delays-nothing-else
test('a transaction is never asked about twice at once, and a claim that found no room comes back with its lease', async () => {
  const { run, asked, later, answer } = startWork(60)
  await run()
  later(10)
  await run()
  expect(asked).toHaveLength(50)
  answer('T0')
  await sleep(5)
  // What waited for ten seconds could outlast its lease, so it was forgotten.
  expect(asked).toHaveLength(50)
  later(30)
  await run()
  await eventually(() => expect(asked).toHaveLength(51))
})

// Proves: state/slow-connector-delays-nothing-else
test('a stop waits for the calls under way, and starts no other', async () => {
  const { work, run, asked, answer, pending } = startWork(60)
  await run()
  let stopped = false
  const stop = work.stop().then(() => (stopped = true))
  await sleep(5)
  expect(stopped).toBe(false)
  for (const id of [...pending.keys()]) answer(id)
  await stop
  expect(asked).toHaveLength(50)
})
