import fc from 'fast-check'
import {
  compile,
  isFinal,
  PAYMENT_METHODS,
  reversalStatusChangedSchema,
  transactionStatusChangedSchema,
  type NetworkReport,
} from '@gateway/contracts'
import {
  abandonAttempt,
  applyReport,
  applyReversalAnswer,
  cancel,
  type Decision,
  dueReversals,
  expire,
  isUnresolved,
  nextDueAt,
  openTransaction,
  PAYMENT_MOVES,
  publishedEvents,
  type ReversalAnswer,
  startAttempt,
  toExportedPayment,
  type Transaction,
  unchanged,
} from '../../payments/index.ts'
import { applyEnquiry, type EnquiryAnswer } from '../../enquiries/index.ts'
import { pastEvents, pastMoneyEvents } from './past-events.ts'
import { at, opened, orderCreatedEvent, timing, T1 } from '../../../test/data.ts'

/** What may be published: unknown fields are refused. */
const reversalStatusChanged = compile(reversalStatusChangedSchema)
const transactionStatusChanged = compile(transactionStatusChangedSchema)

/** Rules that hold after every step, for any sequence of reports, attempts, enquiries, times and crashes. */

const anyReport: fc.Arbitrary<NetworkReport> = fc.record(
  {
    reference: fc.constantFrom('R1', 'R2', 'R3'),
    tr: fc.constant(T1),
    attempt_id: fc.constantFrom('A1', 'A2', 'unknown'),
    outcome: fc.constantFrom('pending', 'success', 'failed'),
    amount: fc.constantFrom('499.00', '499.00', '499.00', '1.00'),
    method: fc.constantFrom(...PAYMENT_METHODS),
    rrn: fc.constantFrom('123456789012', ''),
    payer: fc.constantFrom({ name: 'Asha', vpa: 'asha@okbank' }, { name: 'Ravi', vpa: 'ravi@okaxis' }),
  },
  { requiredKeys: ['reference', 'tr', 'attempt_id', 'outcome', 'amount', 'method'] },
)

const anyAnswer: fc.Arbitrary<EnquiryAnswer> = fc.oneof(
  fc.constant<EnquiryAnswer>({ kind: 'unclear', why: 'ECONNREFUSED' }),
  fc.array(anyReport, { maxLength: 3 }).map((payments): EnquiryAnswer => ({ kind: 'known', payments })),
)

type Step = (transaction: Transaction, now: Date) => Decision
const orSame = (transaction: Transaction, decision: Decision | string): Decision =>
  typeof decision === 'string' ? unchanged(transaction) : decision

const anyStep: fc.Arbitrary<{ step: Step; report?: NetworkReport }> = fc.oneof(
  {
    weight: 4,
    arbitrary: anyReport.map((report) => ({ report, step: (t: Transaction, now: Date) => applyReport(t, report, now, timing) })),
  },
  {
    weight: 2,
    arbitrary: anyAnswer.map((answer) => ({ step: (t: Transaction, now: Date) => applyEnquiry(t, answer, now, timing) })),
  },
  fc
    .record({ id: fc.constantFrom('A1', 'A2'), method: fc.constantFrom(...PAYMENT_METHODS) })
    .map((attempt) => ({ step: (t: Transaction, now: Date) => orSame(t, startAttempt(t, attempt, now, timing)) })),
  fc.constantFrom('A1', 'A2').map((id) => ({ step: (t: Transaction, now: Date) => orSame(t, abandonAttempt(t, id, now)) })),
  fc.constant({ step: cancel }),
  fc.constant({ step: expire }),
  fc
    .record({
      reference: fc.constantFrom('R1', 'R2', 'R3'),
      answer: fc.constantFrom<ReversalAnswer[]>('unclear', { status: 'pending' }, { status: 'succeeded' }, { status: 'failed' }),
    })
    .map(({ reference, answer }) => ({
      step: (t: Transaction, now: Date) => applyReversalAnswer(t, reference, answer, now, timing),
    })),
)

/** A crash before the write loses the step, a crash after it repeats the step; both happen before the next one. */
const anyHistory = fc.array(
  fc.record({
    input: anyStep,
    deliveries: fc.constantFrom(0, 1, 1, 1, 2, 3),
    gapSeconds: fc.constantFrom(0, 1, 100, 2000, 90_000),
  }),
  { maxLength: 25 },
)

function checkStep(before: Transaction, decision: Decision): void {
  const { transaction, events } = decision
  if (isFinal(before.status)) {
    expect(events).toEqual([])
    const kept = ({ status, failure_reason: failureReason, rrn, payer, method, sequence, final_at: finalAt }: Transaction) => ({
      status,
      failureReason,
      rrn,
      payer,
      method,
      sequence,
      finalAt, // prettier-ignore
    })
    expect(kept(transaction)).toEqual(kept(before))
  }
  expect(transaction.version).toBe(decision.changed ? before.version + 1 : before.version)
  expect(events.map(({ data }) => data.sequence)).toEqual(events.map((_, index) => before.sequence + index + 1))
  // Publishers stay strict: no field that the schema does not name.
  const published = publishedEvents(decision)
  expect(published.filter((event) => !transactionStatusChanged(event) && !reversalStatusChanged(event))).toEqual([])
  // Of two copies of a payment the version decides, so that all events of one write carry the same.
  for (const { data } of published) expect(data.payment).toEqual(toExportedPayment(transaction))
  let { status } = before
  for (const { data } of events) {
    expect(PAYMENT_MOVES[status]).toHaveProperty(data.status)
    status = data.status
  }
  expect(transaction).toMatchObject({ status, sequence: before.sequence + events.length })
}

function checkMoney(transaction: Transaction, capturedReferences: ReadonlySet<string>): void {
  const { captures, reversals, attempts, status } = transaction
  const accepted = captures.filter(({ disposition }) => disposition === 'accepted')
  expect(accepted).toHaveLength(status === 'Success' ? 1 : 0)
  expect(accepted.every(({ amount_paise: amountPaise }) => amountPaise === 49900)).toBe(true)
  // Every other capture is reversed exactly once, and nothing else is.
  const toReverse = captures.filter(({ disposition }) => disposition === 'reversed').map(({ reference }) => reference)
  expect(reversals.map(({ reference }) => reference).sort()).toEqual(toReverse.sort())
  expect(new Set(captures.map(({ reference }) => reference))).toEqual(capturedReferences)
  expect(attempts.filter((attempt) => attempt.status === 'succeeded')).toHaveLength(accepted.length)
  expect(new Set(attempts.map(({ id }) => id)).size).toBe(attempts.length)
  if (status === 'Failed') expect(attempts.some(isUnresolved)).toBe(false)
  // Unfinished work always has a time at which it is due.
  if (!isFinal(status) || reversals.some((reversal) => reversal.status === 'pending'))
    expect(nextDueAt(transaction)).not.toBeNull()
}

// Proves: spec/every-status-change-sends-webhook, state/success-and-failed-are-final, state/sequence-counts-status-changes-from-1
// Proves: state/every-other-write-raises-version-only, state/late-money-never-changes-final-status
// Proves: state/reversal-is-recorded-with-the-report, state/one-success-per-order
// Proves: webhooks/webhook-sequence-grows-one-per-transaction
test('at most one accepted capture, every other capture reversed once, no gap in the sequence, final stays final', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3 }), anyHistory, (maxAttempts, history) => {
      let transaction = opened({ max_attempts: maxAttempts })
      let seconds = 0
      for (const { input, deliveries, gapSeconds } of history) {
        seconds += gapSeconds
        for (let delivery = 0; delivery < deliveries; delivery++) {
          const decision = input.step(transaction, at(seconds))
          checkStep(transaction, decision)
          if (delivery > 0 && input.report) expect(decision.changed).toBe(false)
          transaction = decision.transaction
          const captured = new Set(
            transaction.seen_reports.filter(({ outcome }) => outcome === 'success').map(({ reference }) => reference),
          )
          checkMoney(transaction, captured)
        }
      }
    }),
    { numRuns: 500 },
  )
})

// Proves: state/order-always-ends
test('after any history an order ends once the network answers clearly for long enough', () => {
  fc.assert(
    fc.property(anyHistory, (history) => {
      let transaction = opened({ max_attempts: 2 })
      let now = at(0)
      for (const { input, gapSeconds } of history) {
        now = new Date(now.getTime() + gapSeconds * 1000)
        transaction = input.step(transaction, now).transaction
      }
      for (let step = 0; step < 50 && !isFinal(transaction.status); step++) {
        now = new Date(Math.max(now.getTime(), nextDueAt(transaction)?.getTime() ?? 0))
        transaction = expire(transaction, now).transaction
        transaction = applyEnquiry(transaction, { kind: 'known', payments: [] }, now, timing).transaction
        // Reversals are answered too: a reversal that stays due would stop the clock.
        for (const { reference } of dueReversals(transaction, now))
          transaction = applyReversalAnswer(transaction, reference, { status: 'succeeded' }, now, timing).transaction
      }
      expect(isFinal(transaction.status)).toBe(true)
    }),
  )
})

// Proves: operate/republish-after-restore
test('after any history every published event can be rebuilt from the transaction', () => {
  fc.assert(
    fc.property(anyHistory, (history) => {
      const opening = openTransaction(orderCreatedEvent({ max_attempts: 2 }))
      let { transaction } = opening
      const published = [...opening.events]
      const reversals: unknown[] = []
      let seconds = 0
      for (const { input, gapSeconds } of history) {
        seconds += gapSeconds
        const decision = input.step(transaction, at(seconds))
        published.push(...decision.events)
        reversals.push(...decision.moneyEvents)
        transaction = decision.transaction
      }
      expect(pastEvents(transaction)).toEqual(published)
      expect(new Set(pastMoneyEvents(transaction))).toEqual(new Set(reversals))
    }),
  )
})
