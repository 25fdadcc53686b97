import type { OrderMethod, PaymentMethod, TransactionView } from '@gateway/contracts'
import { openAttempt, pageState } from './page-state.ts'

/** What a form that was sent may do, by the attempt that it carries. */
export type Slot =
  /** The attempt that can begin now. */
  | { readonly kind: 'free' }
  /** It began already and is open: a reload, a second click, a second tab. */
  | { readonly kind: 'resume' }
  /** An attempt is open, and it is another one. */
  | { readonly kind: 'another_is_open' }
  /** The page was made for an attempt that is no more, or for a method that is not open. */
  | { readonly kind: 'out_of_date' }
  /** Nothing can begin: the page says why. */
  | { readonly kind: 'closed' }

/** Decides it from the payment as it is now; two forms at once are told apart by payment-status, which keeps the truth. */
export function slotOf(
  view: TransactionView,
  sent: { readonly attemptId: unknown; readonly method: OrderMethod | undefined },
  now: Date,
  /** The id of the attempt that the page would offer now. */
  presentAttemptId: string,
): Slot {
  const state = pageState(view, now)
  if (state.kind === 'waiting') {
    const open = openAttempt(view)
    const isSame = open !== undefined && open.id === sent.attemptId && OFFERED_AS[open.method] === sent.method
    return { kind: isSame ? 'resume' : 'another_is_open' }
  }
  if (state.kind !== 'choose') return { kind: 'closed' }
  // An attempt that has ended: the page offers the next one and says why.
  if (view.attempts.some(({ id }) => id === sent.attemptId)) return { kind: 'closed' }
  const isOffered = sent.method !== undefined && state.methods.includes(sent.method)
  return isOffered && sent.attemptId === presentAttemptId ? { kind: 'free' } : { kind: 'out_of_date' }
}

/** By now the network may have said which kind of card it is, so that only card and bank can be told apart. */
const OFFERED_AS: Readonly<Record<PaymentMethod, OrderMethod>> = {
  upi: 'upi',
  credit_card: 'card',
  debit_card: 'card',
  netbanking: 'netbanking',
}
