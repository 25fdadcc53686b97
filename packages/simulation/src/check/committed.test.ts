import type { Entry } from '../mongo/branch.ts'
import type { Doc } from '../mongo/documents.ts'
import { Committed } from './committed.ts'

const NOW_MS = 10_000

interface Told {
  readonly sequence: number
  readonly status: string
}

const event = ({ sequence, status }: Told) => ({
  id: `T1.${sequence}`,
  body: JSON.stringify({ type: 'transaction.status-changed', data: { sequence, status } }),
})
const stored = (status: string, sequence: number, outbox: object[], more: object = {}): Doc => ({
  ...{ _id: 'T1', status, sequence, outbox },
  ...more,
})
const initiate = event({ sequence: 1, status: 'Initiate' })
const pending = event({ sequence: 2, status: 'Pending' })
const success = event({ sequence: 3, status: 'Success' })

/** The rules that a series of committed states of one transaction breaks. */
function rulesBrokenBy(...states: readonly Doc[]): string[] {
  const broken: string[] = []
  const committed = new Committed(
    (rule) => void broken.push(rule.slice(0, 3).trim()),
    () => NOW_MS,
  )
  for (const id of ['T1.1', 'T1.2', 'T1.3']) committed.published(id)
  states.forEach((after, index) => committed.onCommit(entryOf(states[index - 1], after)))
  return broken
}

function entryOf(before: Doc | undefined, after: Doc): Entry {
  return {
    change: { kind: 'write', namespace: 'payment_status.transactions', id: 'T1', before, after },
  }
}

test('one write may tell of several changes, as long as each has its number and its event', () => {
  expect(rulesBrokenBy(stored('Initiate', 1, [initiate]), stored('Success', 3, [initiate, pending, success]))).toEqual([])
  expect(rulesBrokenBy(stored('Pending', 2, [initiate, pending]), stored('Pending', 2, []))).toEqual([])
})

// Proves: faults/simulation-checks-find-broken-rules
test.each([
  ['a number is left out', [stored('Initiate', 1, [initiate]), stored('Success', 3, [initiate, success])]],
  ['the sequence jumps further than its events', [stored('Initiate', 1, [initiate]), stored('Pending', 4, [initiate, pending])]],
  ['the status changes without a number', [stored('Initiate', 1, []), stored('Pending', 1, [])]],
  ['the sequence grows without an event', [stored('Initiate', 1, []), stored('Initiate', 2, [])]],
  ['it goes back', [stored('Initiate', 1, [initiate]), stored('Pending', 2, [pending]), stored('Initiate', 1, [initiate])]],
  ['the event tells another status than is stored', [stored('Initiate', 1, []), stored('Success', 2, [pending])]],
  [
    'a final status is passed on the way',
    [
      stored('Initiate', 1, []),
      stored('Success', 3, [event({ sequence: 2, status: 'Failed' }), event({ sequence: 3, status: 'Success' })]),
    ],
  ],
  ['it begins as something else', [stored('Pending', 1, [event({ sequence: 1, status: 'Pending' })])]],
])('S2 is broken while it runs when %s', (_what, states) => {
  expect(rulesBrokenBy(...states)).toContain('S2')
})

// Proves: faults/simulation-checks-find-broken-rules
test.each([
  ['due', 10_000, []],
  ['leased to another replica', 15_000, ['S14']],
])('S14: work is claimed when it is %s', (_what, dueMs, expected) => {
  const before = stored('Initiate', 1, [], { claim: 'one', due_at: new Date(dueMs) })
  const after = stored('Initiate', 1, [], { claim: 'two', due_at: new Date(30_000) })
  const broken: string[] = []
  const committed = new Committed(
    (rule) => void broken.push(rule.slice(0, 3)),
    () => NOW_MS,
  )
  committed.onCommit(entryOf(before, after))
  expect(broken).toEqual(expected)
})

// Proves: faults/simulation-checks-find-broken-rules
test('S10: of two reports about one payment, each must be stored by itself', () => {
  const committed = new Committed(
    () => undefined,
    () => NOW_MS,
  )
  const report = { tr: 'T1', reference: 'R1', outcome: 'failed', amount: '10.00' } as const
  const seen_reports = [{ reference: 'R1', outcome: 'failed', amount_paise: 1000 }]
  committed.onCommit(entryOf(undefined, stored('Initiate', 1, [initiate], { seen_reports })))
  expect(committed.hasReport(report)).toBe(true)
  expect(committed.hasReport({ ...report, outcome: 'success' })).toBe(false)
  expect(committed.hasReport({ ...report, amount: '1.00' })).toBe(false)
  const change = { kind: 'write', namespace: 'payment_status.quarantined_reports', id: 'q', after: { excerpt: 'R2' } } as const
  committed.onCommit({ change })
  expect(committed.hasReport({ ...report, reference: 'R2' })).toBe(true)
})
