import { istDayEnd, REVERSAL_STATUS_CHANGED, type ReversalResponse, type ReversalStatusChanged } from '@gateway/contracts'
import { after, delayMs, type Timing } from './schedule.ts'
import { moved, REVERSAL_MOVES } from './states.ts'
import type { Alert, Decision, ExcessCapture, Reversal, Transaction } from './transaction.ts'
import { amend, unchanged } from './transition.ts'

/** After this many unclear answers operators are alerted. The requests go on. */
const OVERDUE_AFTER_REQUESTS = 10

/** Requests a reversal in the same write as the capture. A worker then asks the network to give the money back. */
export function requestReversal(decision: Decision, { reference, amount_paise, reason }: ExcessCapture, now: Date): Decision {
  const { captures, reversals } = decision.transaction
  const reversal: Reversal = {
    ...{ reference, amount_paise, reason, status: 'pending', rrn: null },
    ...{ requested_at: now, completed_at: null, requests: 0, due_at: now },
  }
  const requested = amend(decision, now, {
    captures: [...captures, { reference, amount_paise, disposition: 'reversed' }],
    reversals: [...reversals, reversal],
  })
  return withMoneyEvent(requested, reversal, now)
}

/** The network's answer to a reversal. `unclear` stands for everything that decides nothing: a timeout, a 500, an unreadable body. */
export type ReversalAnswer = Pick<ReversalResponse, 'status' | 'rrn'> | 'unclear'

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

  const requests = reversal.requests + 1
  const answered: Reversal =
    answer !== 'unclear' && answer.status !== 'pending'
      ? {
          ...reversal,
          status: moved(REVERSAL_MOVES, reversal.status, answer.status),
          rrn: answer.rrn ?? null,
          completed_at: now,
          requests,
          due_at: null,
        }
      : { ...reversal, requests, due_at: after(now, delayMs(timing.reversalDelaysMs, reversal.requests)) }
  const reversals = before.reversals.map((other) => (other === reversal ? answered : other))
  const decision = amend(unchanged(before), now, { reversals }, alertsOf(reversal, answered, now, timing))
  return answered.status === 'pending' ? decision : withMoneyEvent(decision, answered, now)
}

function alertsOf(before: Reversal, { status, requests }: Reversal, now: Date, timing: Timing): Alert[] {
  if (status === 'failed') return ['reversal_refused']
  if (status === 'succeeded') return []
  return [
    ...(requests === OVERDUE_AFTER_REQUESTS ? (['reversal_overdue'] as const) : []),
    ...(isDueTomorrow(before, previousAnswerAt(before, timing), now) ? (['reversal_due_tomorrow'] as const) : []),
  ]
}

/** The request that is answered now was planned when the answer before it came. */
function previousAnswerAt({ requested_at, requests, due_at }: Reversal, timing: Timing): Date {
  return requests === 0 || !due_at ? requested_at : after(due_at, -delayMs(timing.reversalDelaysMs, requests - 1))
}

function withMoneyEvent(decision: Decision, reversal: Reversal, now: Date): Decision {
  const event = reversalStatusChanged(decision.transaction, reversal, now)
  return { ...decision, moneyEvents: [...decision.moneyEvents, event] }
}

/** The reversals whose next request is due. */
export function dueReversals({ reversals }: Transaction, now: Date): Reversal[] {
  return reversals.filter(({ due_at }) => due_at !== null && due_at <= now)
}

/** RBI's turn-around time (circular of 20 September 2019): T + 5 calendar days. Each further day costs the bank 100 rupees. */
const DUE_DAYS = 5

/** True for the first answer on T + 4, the day before it is due. `previousAt` is the time of the answer before. */
export function isDueTomorrow({ requested_at }: Pick<Reversal, 'requested_at'>, previousAt: Date, now: Date): boolean {
  const dayBegins = istDayEnd(requested_at, DUE_DAYS - 2)
  return now > dayBegins && previousAt <= dayBegins
}

/** Pending reversals that were requested at this instant or earlier are due tomorrow or earlier. */
export function dueTomorrowSince(now: Date): Date {
  return istDayEnd(now, 1 - DUE_DAYS)
}

/** The event of a reversal's present status. */
export function reversalStatusChanged({ id, order }: Transaction, reversal: Reversal, now: Date): ReversalStatusChanged {
  const sequence = reversal.status === 'pending' ? 1 : 2
  return {
    id: `${id}.rev-${reversal.reference}.${sequence}`,
    type: REVERSAL_STATUS_CHANGED,
    version: 1,
    occurred_at: now.toISOString(),
    correlation_id: order.correlation_id,
    data: { transaction_id: id, reference: reversal.reference, status: reversal.status },
  }
}
