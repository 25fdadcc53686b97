import type { ReversalReason, ReversalResponse } from '@gateway/contracts'
import { after, delayMs, type Timing } from './schedule.ts'
import type { Alert, Decision, Reversal, Transaction } from './transaction.ts'
import { amend, withNextVersion, unchanged } from './transition.ts'

/** After this many unclear answers an operator is alerted; the requests continue. */
const OVERDUE_AFTER_ASKED = 10

/** Records that captured money must be given back, in the same write as the capture. A worker then asks the network. */
export function requestReversal(
  decision: Decision,
  { reference, amountPaise, reason }: { reference: string; amountPaise: number; reason: ReversalReason },
  now: Date,
): Decision {
  const { captures, reversals } = decision.transaction
  return amend(decision, {
    captures: [...captures, { reference, amountPaise, disposition: 'reversed' }],
    reversals: [
      ...reversals,
      { reference, amountPaise, reason, status: 'pending', requestedAt: now, completedAt: null, asked: 0, dueAt: now },
    ],
  })
}

/** The network's answer to a reversal. `unclear` stands for everything that decides nothing: a timeout, a 500, an unreadable body. */
export type ReversalAnswer = ReversalResponse['status'] | 'unclear'

/** Records an answer. Only a clear one ends the requests; a refused reversal raises an alert. */
export function applyReversalAnswer(
  before: Transaction,
  reference: string,
  answer: ReversalAnswer,
  now: Date,
  timing: Timing,
): Decision {
  const reversal = before.reversals.find((candidate) => candidate.reference === reference)
  if (!reversal || reversal.status !== 'pending') return unchanged(before)

  const asked = reversal.asked + 1
  const answered: Reversal =
    answer === 'succeeded' || answer === 'failed'
      ? { ...reversal, status: answer, completedAt: now, asked, dueAt: null }
      : { ...reversal, asked, dueAt: after(now, delayMs(timing.reversalDelaysMs, reversal.asked)) }
  const alerts: Alert[] = answer === 'failed' ? ['reversal_refused'] : asked === OVERDUE_AFTER_ASKED ? ['reversal_overdue'] : []
  const reversals = before.reversals.map((other) => (other === reversal ? answered : other))
  return withNextVersion(before, amend(unchanged(before), { reversals }, alerts), now)
}

/** The reversals whose next request is due. */
export function dueReversals({ reversals }: Transaction, now: Date): Reversal[] {
  return reversals.filter(({ dueAt }) => dueAt !== null && dueAt <= now)
}
