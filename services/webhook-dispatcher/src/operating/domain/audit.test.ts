import fc from 'fast-check'
import type { AuditedDelivery } from '../../deliveries/index.ts'
import { compare, type AuditRules, type Change } from './audit.ts'

const at = (ms: number) => new Date(1_700_000_000_000 + ms)
const rules: AuditRules = { now: at(1_000_000), graceMs: 60_000, overdueMs: 180_000 }

const aChange = (subject: string, sequence: number, fields: Partial<Change> = {}): Change => ({
  id: `${subject}.${sequence}`,
  channel: 'payment',
  subject,
  sequence,
  merchant_id: 'mer_1',
  at: at(0),
  published: true,
  status: undefined,
  ...fields,
})
const aDelivery = (subject: string, sequence: number, fields: Partial<AuditedDelivery> = {}): AuditedDelivery => ({
  id: `${subject}.${sequence}`,
  subject,
  sequence,
  merchant_id: 'mer_1',
  status: 'delivered',
  dead_reason: null,
  next_attempt_at: null,
  claimed_until: new Date(0),
  sentStatus: 'Success',
  created_at: at(0),
  ...fields,
})
const gapsOf = (changes: readonly Change[], deliveries: readonly AuditedDelivery[]) =>
  compare(changes, deliveries, rules).gaps.map(({ kind, id }) => `${kind} ${id}`)
const one = [aChange('A', 1)]

test.each([
  ['delivered', {}, []],
  ['given up', { status: 'dead', dead_reason: 'exhausted' }, ['dead A.1']],
  ['given up with its endpoint', { status: 'dead', dead_reason: 'endpoint_disabled' }, ['dead A.1']],
  ['never promised', { status: 'dead', dead_reason: 'no_endpoint' }, []],
  ['tried again later', { status: 'retrying', next_attempt_at: at(2_000_000) }, []],
  ['a little late', { status: 'retrying', next_attempt_at: at(1_000_000 - 180_000) }, []],
  ['overdue', { status: 'retrying', next_attempt_at: at(1_000_000 - 180_001) }, ['overdue A.1']],
  ['overdue, and being tried now', { status: 'retrying', next_attempt_at: at(0), claimed_until: at(1_000_001) }, []],
  [
    'overdue, and its holder is gone',
    { status: 'retrying', next_attempt_at: at(0), claimed_until: at(999_999) },
    ['overdue A.1'],
  ],
] as const)('a delivery that is %s', (_what, fields, expected) => {
  expect(gapsOf(one, [aDelivery('A', 1, fields)])).toEqual(expected)
})

test.each([
  ['long ago', {}, ['no_delivery A.1']],
  ['just before the grace', { at: at(940_000) }, ['no_delivery A.1']],
  ['within the grace', { at: at(940_001) }, []],
  ['long ago, and is still in the outbox', { published: false }, []],
] as const)('a change without a delivery that was committed %s', (_when, fields, expected) => {
  const { gaps, counts } = compare([aChange('A', 1, fields)], [], rules)
  expect(gaps.map(({ kind, id }) => `${kind} ${id}`)).toEqual(expected)
  expect(counts.on_the_way).toBe(1 - expected.length)
})

// Proves: webhooks/audit-compares-content
test.each([
  ['Success', 'Success', []],
  ['Success', undefined, []],
  ['Pending', 'Success', ['wrong_status A.1']],
  [null, 'Failed', ['wrong_status A.1']],
])('a webhook that says %s of a change to %s', (sentStatus, status, expected) => {
  const change = aChange('A', 1, { status })
  expect(gapsOf([change], [aDelivery('A', 1, { sentStatus })])).toEqual(expected)
})

test('a missing change between others is a sequence hole; one after the last is not', () => {
  const changes = [1, 2, 3].map((sequence) => aChange('A', sequence))
  expect(gapsOf(changes, [aDelivery('A', 1), aDelivery('A', 3)])).toEqual(['sequence_hole A.2'])
  expect(gapsOf(changes, [aDelivery('A', 1), aDelivery('A', 2)])).toEqual(['no_delivery A.3'])
  expect(gapsOf(changes, [aDelivery('A', 3)])).toEqual(['sequence_hole A.1', 'sequence_hole A.2'])
})

test('a delivery without a committed change is named, unless it is too recent to judge', () => {
  expect(gapsOf([], [aDelivery('A', 1)])).toEqual(['no_transition A.1'])
  expect(gapsOf([], [aDelivery('A', 1, { created_at: at(999_999) })])).toEqual([])
})

// Proves: webhooks/audit-names-every-gap
test('exactly the missing changes and records are named, and each change and each record is counted once', () => {
  const ids = fc.uniqueArray(fc.tuple(fc.constantFrom('A', 'B', 'C', 'D'), fc.integer({ min: 1, max: 3 })), {
    selector: ([id, sequence]) => `${id}.${sequence}`,
  })
  fc.assert(
    fc.property(ids, ids, (committed, recorded) => {
      const nameOf = ([id, sequence]: readonly [string, number]) => `${id}.${sequence}`
      const [changes, records] = [new Set(committed.map(nameOf)), new Set(recorded.map(nameOf))]
      const { gaps, counts } = compare(
        committed.map(([id, sequence]) => aChange(id, sequence)),
        recorded.map(([id, sequence]) => aDelivery(id, sequence)),
        rules,
      )
      const expected = [...[...changes].filter((id) => !records.has(id)), ...[...records].filter((id) => !changes.has(id))]
      expect(gaps.map(({ id }) => id).toSorted()).toEqual(expected.toSorted())
      expect(counts).toMatchObject({
        transitions: changes.size,
        deliveries: records.size,
        delivered: records.size,
        on_the_way: 0,
      })
    }),
  )
})
