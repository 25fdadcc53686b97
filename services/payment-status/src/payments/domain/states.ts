import {
  Fault,
  isFinal,
  type AttemptStatus,
  type RefundStatus,
  type ReversalStatus,
  type TransactionStatus,
} from '@gateway/contracts'

/** From each state the states that can follow it, with who moves it there. */
type Moves<State extends string> = Readonly<Record<State, Readonly<Partial<Record<State, string>>>>>

/** `closing`: the order has ended for the shopper, and the network has not said yet whether it was paid. */
type PaymentState = TransactionStatus | 'Initiate, closing' | 'Pending, closing'

export const PAYMENT_MOVES: Moves<PaymentState> = {
  Initiate: {
    Pending: 'the hosted page, or a report',
    'Initiate, closing': 'the shopper or the end of the time to pay',
    Success: 'a report',
    Failed: 'a report',
  },
  Pending: { 'Pending, closing': 'the shopper or the end of the time to pay', Success: 'a report', Failed: 'a report' },
  'Initiate, closing': {
    'Pending, closing': 'a report',
    Success: 'a report',
    Failed: 'the answer to an enquiry, or the end of the enquiries',
  },
  'Pending, closing': { Success: 'a report', Failed: 'the answer to an enquiry, or the end of the enquiries' },
  Success: {},
  Failed: {},
}

export const ATTEMPT_MOVES: Moves<AttemptStatus> = {
  open: { abandoned: 'the shopper', succeeded: 'a report', failed: 'a report or the end of the order', reversed: 'a report' },
  abandoned: { succeeded: 'a report', failed: 'a report or the end of the order', reversed: 'a report' },
  // A network may decline a payment and take its money later.
  failed: { failed: 'another report', succeeded: 'a report', reversed: 'a report' },
  succeeded: {},
  reversed: {},
}

export const REFUND_MOVES: Moves<RefundStatus> = {
  pending: { succeeded: 'an answer or a report', failed: 'an answer or a report' },
  succeeded: { returned: 'an answer or a report' },
  failed: {},
  returned: {},
}

export const REVERSAL_MOVES: Moves<ReversalStatus> = {
  pending: { succeeded: 'an answer', failed: 'an answer' },
  succeeded: {},
  failed: {},
}

/** The state that something moves to. Throws when the table does not allow the move. */
export function moved<State extends string>(moves: Moves<State>, from: State, to: State): State {
  if (moves[from][to] === undefined) throw new Fault(`nothing can move from ${from} to ${to}`)
  return to
}

interface StateOfPayment {
  readonly status: TransactionStatus
  readonly closing: object | null
}

export function stateOf({ status, closing }: StateOfPayment): PaymentState {
  return status === 'Success' || status === 'Failed' || !closing ? status : (`${status}, closing` as const)
}

/** The order has not ended: the shopper can still pay. */
export function isOpen({ status, closing }: StateOfPayment): boolean {
  return !closing && !isFinal(status)
}

/** The attempt has not ended: the network may still report its money. */
export function isUnresolved({ status }: { readonly status: AttemptStatus }): boolean {
  return status === 'open' || status === 'abandoned'
}
