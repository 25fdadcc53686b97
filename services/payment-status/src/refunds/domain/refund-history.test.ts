import fc from 'fast-check'
import { compile, formatPaise, refundStatusChangedSchema, REFUND_STATUSES } from '@gateway/contracts'
import { at, timing, T1 } from '../../../test/data.ts'
import { anyPart, paid, requested } from '../../../test/refund-data.ts'
import { pastMoneyEvents } from '../../exports/index.ts'
import { type Decision, publishedEvents, refundsOf, type Transaction, unchanged } from '../../payments/index.ts'
import { applyRefundAnswers, applyRefundReport, type RefundAnswer } from './refund-answer.ts'
import { requestRefund } from './request-refund.ts'

/** What may be published: unknown fields are refused. */
const refundStatusChanged = compile(refundStatusChangedSchema)

/** Any request, answer or callback, decided on any state that was read earlier, and saved only when nothing was saved since. */
type Step = (transaction: Transaction, now: Date) => Decision

const amounts = fc.constantFrom(1, 10_000, 20_000, 24_950, 49_900, 60_000)
const status = fc.constantFrom(...REFUND_STATUSES)
const number = fc.integer({ min: 1, max: 6 })

/** A report about a refund that may not exist; sometimes of another amount. */
function reportAbout(transaction: Transaction, n: number, told: (typeof REFUND_STATUSES)[number], isRight: boolean) {
  const refund = refundsOf(transaction).find((candidate) => candidate.n === n)
  const amount = formatPaise(isRight ? (refund?.amount_paise ?? 1) : 777)
  return { refund_id: `${T1}R0${n}`, status: told, amount }
}

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc
    .record({ id: fc.integer({ min: 1, max: 8 }), amount_paise: amounts })
    .map(({ id, amount_paise }): Step => (transaction, now) => {
      const decision = requestRefund(transaction, requested({ refund_id: `RF-${id}`, amount_paise }), anyPart, now)
      return typeof decision === 'string' ? unchanged(transaction) : decision
    }),
  fc.record({ n: number, told: status, isRight: fc.boolean() }).map(
    ({ n, told, isRight }): Step =>
      (transaction, now) =>
        applyRefundReport(transaction, n, reportAbout(transaction, n, told, isRight), now),
  ),
  fc
    .record({ n: number, told: fc.option(status), isRight: fc.boolean() })
    .map(({ n, told, isRight }): Step => (transaction, now) => {
      const answer: RefundAnswer = told === null ? 'unclear' : reportAbout(transaction, n, told, isRight)
      return applyRefundAnswers(transaction, [{ n, answer }], now, timing)
    }),
)

/** How many saves ago the step read the transaction: 0 is the present state. */
const anyRace = fc.record({ step: anyStep, readAgo: fc.integer({ min: 0, max: 3 }) })

function sumOf(transaction: Transaction, ...statuses: string[]): number {
  return refundsOf(transaction)
    .filter((refund) => statuses.includes(refund.status))
    .reduce((sum, { amount_paise: amountPaise }) => sum + amountPaise, 0)
}

// Proves: refunds/never-over-the-capture, operate/republish-after-restore, refunds/only-a-clear-failed-releases
test('under any interleaving, pending and succeeded refunds are never more than the capture, and no refund vanishes', () => {
  fc.assert(
    fc.property(fc.array(anyRace, { maxLength: 40 }), (races) => {
      const saved = [paid()]
      const published: { readonly id: string }[] = []
      races.forEach(({ step, readAgo }, index) => {
        const present = saved.at(-1) ?? paid()
        const read = saved.at(-1 - readAgo) ?? present
        const decision = step(read, at(120 + index))
        // The guarded update: it matches only the version that was read.
        if (read.version !== present.version || !decision.changed) return
        checkStep(present, decision)
        saved.push(decision.transaction)
        published.push(...decision.moneyEvents)
      })
      const ids = published.map(({ id }) => id)
      expect(new Set(ids).size).toBe(published.length)
      // What `npm run republish` publishes after a restore.
      expect(pastMoneyEvents(saved.at(-1) ?? paid())).toEqual(published)
      for (const refund of refundsOf(saved.at(-1) ?? paid()))
        for (let sequence = 1; sequence <= refund.sequence; sequence++)
          expect(ids).toContain(`${T1}R0${refund.n}.${sequence}`.replace(/R0(\d\d)/u, 'R$1'))
    }),
    { numRuns: 2000 },
  )
})

function checkStep(before: Transaction, decision: Decision): void {
  const { transaction } = decision
  expect(transaction.version).toBe(before.version + 1)
  expect([transaction.status, transaction.sequence]).toEqual([before.status, before.sequence])
  expect(sumOf(transaction, 'pending', 'succeeded')).toBeLessThanOrEqual(49_900)
  for (const event of publishedEvents(decision)) expect(refundStatusChanged(event)).toBe(true)
  const after = refundsOf(transaction)
  for (const [index, refund] of refundsOf(before).entries()) {
    const next = after[index]
    expect(next).toMatchObject({ n: refund.n, refund_id: refund.refund_id, amount_paise: refund.amount_paise })
    const allowed = { pending: REFUND_STATUSES, succeeded: ['succeeded', 'returned'], failed: ['failed'], returned: ['returned'] }
    expect(allowed[refund.status]).toContain(next?.status)
    expect(next?.due_at === null).toBe(next?.status !== 'pending')
  }
}
