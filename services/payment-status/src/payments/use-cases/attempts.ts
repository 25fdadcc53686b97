import { Refused, type PaymentMethod } from '@gateway/contracts'
import { abandonAttempt, startAttempt, type AttemptRefusal } from '../domain/attempts.ts'
import { cancel } from '../domain/transition.ts'
import type { Timing } from '../domain/schedule.ts'
import type { Decision, Transaction } from '../domain/transaction.ts'
import type { Adopt } from './adopt.ts'
import type { ChangeTransaction } from './change-transaction.ts'

/** What the hosted page does with a payment. Each method throws `transaction_not_found` for an unknown transaction. */
export interface Attempts {
  find(transactionId: string): Promise<Transaction>
  /** Commits an attempt. Throws `order_not_payable` or `attempt_not_allowed`; repeating an id changes nothing. */
  start(transactionId: string, attempt: { id: string; method: PaymentMethod }): Promise<Transaction>
  /** Gives an open attempt up, so that another can start. Throws `attempt_not_found`. */
  abandon(transactionId: string, attemptId: string): Promise<Transaction>
  /** Ends the order for the shopper; its status follows from the network's answer. Cancelling again changes nothing. */
  cancel(transactionId: string): Promise<Transaction>
}

/** The problem of each refusal, and what the caller reads. */
const REFUSALS = {
  final: ['order_not_payable', 'The payment has ended'],
  closing: ['order_not_payable', 'The order was cancelled or has expired'],
  method_not_offered: ['attempt_not_allowed', 'The order does not take this method'],
  no_attempts_left: ['attempt_not_allowed', 'The order allows no further attempt'],
  another_is_open: ['attempt_not_allowed', 'Another attempt is open'],
  attempt_not_found: ['attempt_not_found', 'The attempt does not exist'],
} as const satisfies Readonly<Record<AttemptRefusal | 'attempt_not_found', readonly [string, string]>>

export function makeAttempts(dependencies: {
  adopt: Pick<Adopt, 'byId'>
  change: ChangeTransaction
  timing: Timing
  now: () => Date
}): Attempts {
  const { adopt, change, timing, now } = dependencies

  async function find(transactionId: string): Promise<Transaction> {
    const transaction = await adopt.byId(transactionId)
    if (!transaction) throw new Refused('transaction_not_found', 'The transaction does not exist')
    return transaction
  }

  async function changed(transactionId: string, decide: (before: Transaction) => Decision): Promise<Transaction> {
    const { transaction } = await change(await find(transactionId), decide)
    return transaction
  }

  return {
    find,
    start: (transactionId, attempt) => changed(transactionId, (before) => orRefuse(startAttempt(before, attempt, now(), timing))),
    abandon: (transactionId, attemptId) => changed(transactionId, (before) => orRefuse(abandonAttempt(before, attemptId, now()))),
    cancel: (transactionId) => changed(transactionId, (before) => cancel(before, now(), timing)),
  }
}

function orRefuse(decision: Decision | keyof typeof REFUSALS): Decision {
  if (typeof decision !== 'string') return decision
  const [code, detail] = REFUSALS[decision]
  throw new Refused(code, detail)
}
