import fc from 'fast-check'
import { firstTransactionIdAt, newTransactionId, type RefundTransition, type Transition } from '@gateway/contracts'
import type { AuditedDelivery, DeliveryReadModel } from '../../deliveries/index.ts'
import { endpointIdIn } from '../../endpoints/index.ts'
import type { FetchTransitions } from '../clients/payment-status.ts'
import { makeAuditDeliveries, type AuditRequest, type AuditStep } from './audit-deliveries.ts'

const DAY_MS = 86_400_000
const NOW = new Date('2026-11-21T10:00:00Z')
const before = (ms: number) => new Date(NOW.getTime() - ms)

/** Exports like payment-status: whole transactions, ordered by id. */
const exporting =
  (all: readonly Transition[], refunds: readonly RefundTransition[] = []): FetchTransitions =>
  async ({ since = '', until = '', cursor = '', limit }) => {
    const [from, to] = [firstTransactionIdAt(new Date(since)), firstTransactionIdAt(new Date(until))]
    const inRange = all.filter(({ transaction_id: id }) => id >= from && id < to && id > cursor)
    const ids = [...new Set(inRange.map(({ transaction_id: id }) => id))].toSorted().slice(0, Number(limit))
    const next_cursor = ids.length === Number(limit) ? (ids.at(-1) ?? null) : null
    return { transitions: inRange.filter(({ transaction_id: id }) => ids.includes(id)), refunds: [...refunds], next_cursor }
  }

/** Reads like the database: records ordered by key. */
const recorded =
  (all: readonly AuditedDelivery[]): DeliveryReadModel['inRange'] =>
  async ({ $gt, $gte, $lte, $lt }, limit) =>
    all
      .filter(({ id }) => ($gt === undefined || id > $gt) && ($gte === undefined || id >= $gte))
      .filter(({ id }) => ($lte === undefined || id <= $lte) && ($lt === undefined || id < $lt))
      .toSorted((one, other) => (one.id < other.id ? -1 : 1))
      .slice(0, limit)

const transitionsOf = (transactionId: string, count: number, merchantId: string): Transition[] =>
  Array.from({ length: count }, (_, index) => ({
    transaction_id: transactionId,
    sequence: index + 1,
    merchant_id: merchantId,
    at: before(DAY_MS).toISOString(),
    published: true,
  }))
const recordOf = ({ transaction_id, sequence }: Transition): AuditedDelivery => recordFor(transaction_id, sequence, 'Success')
const recordFor = (subject: string, sequence: number, sentStatus: string): AuditedDelivery => ({
  id: `${subject}.${sequence}`,
  subject,
  sequence,
  merchant_id: 'mer_1',
  status: 'delivered',
  dead_reason: null,
  next_attempt_at: null,
  claimed_until: new Date(0),
  sentStatus,
  created_at: before(DAY_MS),
})

function anAudit(transitions: readonly Transition[], records: readonly AuditedDelivery[], recordsPerRead?: number) {
  const endpoints = { findMany: () => Promise.reject(new Error('the export has no refunds')) }
  const options = { ...TIMES, fetchTransitions: exporting(transitions), records: { inRange: recorded(records) }, endpoints }
  return makeAuditDeliveries({ ...options, ...(recordsPerRead === undefined ? {} : { recordsPerRead }) })
}
const TIMES = { retentionMs: 30 * DAY_MS, graceMs: 60_000, overdueMs: 60_000, now: () => NOW }

async function wholeOf(audit: ReturnType<typeof anAudit>, request: AuditRequest): Promise<AuditStep[]> {
  const steps: AuditStep[] = []
  for (let after: string | undefined; ;) {
    const step = await audit({ ...request, after })
    steps.push(step)
    after = step.next
    if (after === undefined) return steps
  }
}
const namedIn = (steps: readonly AuditStep[]) => steps.flatMap(({ gaps }) => gaps.map(({ kind, id }) => `${kind} ${id}`))
const sumOf = (steps: readonly AuditStep[], name: keyof AuditStep['counts']) =>
  steps.reduce((sum, { counts }) => sum + counts[name], 0)

// Proves: webhooks/audit-names-every-gap
test('with any page and read sizes everything is read once and the same gaps are found', async () => {
  const transactions = fc.array(
    fc.record({ changes: fc.integer({ min: 1, max: 3 }), lost: fc.subarray([1, 2, 3]), foreign: fc.boolean() }),
    { maxLength: 12 },
  )
  await fc.assert(
    fc.asyncProperty(
      transactions,
      fc.integer({ min: 1, max: 14 }),
      fc.integer({ min: 4, max: 12 }),
      async (made, limit, perRead) => {
        const all = made.map((one, index) => ({ ...one, id: newTransactionId(before(2 * DAY_MS - index), 0) }))
        const transitions = all
          .filter(({ foreign }) => !foreign)
          .flatMap(({ id, changes }) => transitionsOf(id, changes, 'mer_1'))
        const records = all.flatMap(({ id, changes, lost }) =>
          transitionsOf(id, changes, 'mer_1')
            .map(recordOf)
            .filter(({ sequence }) => !lost.includes(sequence)),
        )
        const whole = await wholeOf(anAudit(transitions, records), { limit: 1000 })
        const inSteps = await wholeOf(anAudit(transitions, records, perRead), { limit })
        expect(namedIn(inSteps).toSorted()).toEqual(namedIn(whole).toSorted())
        for (const steps of [whole, inSteps]) {
          expect([sumOf(steps, 'transitions'), sumOf(steps, 'deliveries')]).toEqual([transitions.length, records.length])
        }
      },
    ),
    { numRuns: 60 },
  )
})

test('one merchant, and a range of time', async () => {
  const [old, young] = [newTransactionId(before(3 * DAY_MS), 0), newTransactionId(before(DAY_MS), 0)]
  const transitions = [...transitionsOf(old, 1, 'mer_1'), ...transitionsOf(young, 1, 'mer_2')]
  const audit = anAudit(transitions, [])
  expect(namedIn(await wholeOf(audit, { limit: 10, merchantId: 'mer_1' }))).toEqual([`no_delivery ${old}.1`])
  expect(namedIn(await wholeOf(audit, { limit: 10, since: before(2 * DAY_MS) }))).toEqual([`no_delivery ${young}.1`])
  expect(namedIn(await wholeOf(audit, { limit: 10, until: before(2 * DAY_MS) }))).toEqual([`no_delivery ${old}.1`])
})

test('older transactions than the retention are left out, and the answer says where the range begins', async () => {
  const gone = transitionsOf(newTransactionId(before(31 * DAY_MS), 0), 1, 'mer_1')
  const [step] = await wholeOf(anAudit(gone, []), { limit: 10, since: before(365 * DAY_MS) })
  expect(step).toMatchObject({ since: before(30 * DAY_MS), until: NOW, counts: { transitions: 0 }, gaps: [] })
})

test('gaps beyond those that a step names are counted too', async () => {
  const transitions = Array.from({ length: 250 }, (_, index) =>
    transitionsOf(newTransactionId(before(DAY_MS + index), 0), 1, 'mer_1'),
  )
  const [step] = await wholeOf(anAudit(transitions.flat(), []), { limit: 1000 })
  expect([step?.gaps.length, step?.gapCounts.no_delivery]).toEqual([200, 250])
})

const TRANSACTION = newTransactionId(before(DAY_MS), 0)
const REFUND = `${TRANSACTION}R01`
const CREATED = before(DAY_MS / 2)
const refundChange = (sequence: number, fields: Partial<RefundTransition> = {}): RefundTransition => ({
  refund_id: REFUND,
  sequence,
  merchant_id: 'mer_1',
  created_at: CREATED.toISOString(),
  at: CREATED.toISOString(),
  published: true,
  ...fields,
})

/** The merchant registered its refund endpoint at this time, or never. */
function auditOfRefunds(since: Date | undefined, records: readonly AuditedDelivery[]) {
  const registrations = since === undefined ? [] : [{ url: 'https://merchant.example/', since }]
  const endpoint = { id: endpointIdIn('mer_1:refund'), registrations, secrets: [], health: [] }
  const endpoints = { findMany: async (ids: readonly string[]) => [endpoint].filter(({ id }) => ids.includes(id)) }
  return async (refunds: readonly RefundTransition[]) => {
    const options = { ...TIMES, fetchTransitions: exporting([], refunds), records: { inRange: recorded(records) }, endpoints }
    return namedIn(await wholeOf(makeAuditDeliveries(options), { limit: 10 }))
  }
}

// Proves: webhooks/audit-covers-refunds
test('each owed webhook of a refund that is missing, unknown or wrong is named', async () => {
  const registered = before(DAY_MS)
  const whole = [recordFor(REFUND, 1, 'pending'), recordFor(REFUND, 2, 'succeeded')]
  const changes = [refundChange(1), refundChange(2, { status: 'succeeded' })]
  expect(await auditOfRefunds(registered, whole)(changes)).toEqual([])
  expect(await auditOfRefunds(registered, whole.slice(1))(changes)).toEqual([`sequence_hole ${REFUND}.1`])
  expect(await auditOfRefunds(registered, whole.slice(0, 1))(changes)).toEqual([`no_delivery ${REFUND}.2`])
  expect(await auditOfRefunds(registered, whole)(changes.slice(0, 1))).toEqual([`no_transition ${REFUND}.2`])
  const wrong = [recordFor(REFUND, 1, 'pending'), recordFor(REFUND, 2, 'failed')]
  expect(await auditOfRefunds(registered, wrong)(changes)).toEqual([`wrong_status ${REFUND}.2`])
})

// Proves: webhooks/audit-covers-refunds, webhooks/refunds-are-opt-in
test('nothing is owed to a merchant without a refund endpoint at the time of the refund', async () => {
  expect(await auditOfRefunds(undefined, [])([refundChange(1)])).toEqual([])
  expect(await auditOfRefunds(new Date(CREATED.getTime() + 1), [])([refundChange(1)])).toEqual([])
  expect(await auditOfRefunds(CREATED, [])([refundChange(1)])).toEqual([`no_delivery ${REFUND}.1`])
})
