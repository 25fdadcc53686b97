import { orderMethodOf, type OrderMethod, type TransactionView } from '@gateway/contracts'
import type { Outages } from './outages.ts'
import { openAttempt, pageState, type PageState } from './page-state.ts'

/** What a submitted form may do, decided by the attempt id that it carries. */
export type FormDecision =
  /** The form may start its attempt. */
  | { readonly kind: 'start' }
  /** The attempt has already started and is open: a reload, a second click or a second tab. */
  | { readonly kind: 'resume' }
  /** Another attempt is open. */
  | { readonly kind: 'another_is_open' }
  /** The form is not for the attempt, or not for a method, that the page offers now. */
  | { readonly kind: 'out_of_date' }
  /** The method is down now. */
  | { readonly kind: 'method_down' }
  /** No attempt can start; the page says why. */
  | { readonly kind: 'closed' }

/** Decides from the payment as it was read. When two forms arrive at once, payment-status decides which one starts. */
export function decideForm(
  view: TransactionView,
  sent: { readonly attemptId: unknown; readonly method: OrderMethod | undefined },
  now: Date,
  /** The valid ids of the next attempt: one for each live key. */
  currentAttemptIds: readonly string[],
  outages?: Outages,
): FormDecision {
  const state = pageState(view, now, outages)
  if (state.kind === 'waiting') {
    const open = openAttempt(view)
    // Compared by the form's method: the network may have corrected credit to debit card meanwhile.
    const isSame = open !== undefined && open.id === sent.attemptId && orderMethodOf(open.method) === sent.method
    return { kind: isSame ? 'resume' : 'another_is_open' }
  }
  if (isDown(state, sent.method)) return { kind: 'method_down' }
  if (state.kind !== 'choose') return { kind: 'closed' }
  // The attempt has ended: the page says why and offers the next one.
  if (view.attempts.some(({ id }) => id === sent.attemptId)) return { kind: 'closed' }
  const isOffered = sent.method !== undefined && state.methods.includes(sent.method)
  return isOffered && currentAttemptIds.some((id) => id === sent.attemptId) ? { kind: 'start' } : { kind: 'out_of_date' }
}

function isDown(state: PageState, method: OrderMethod | undefined): boolean {
  const hidden = state.kind === 'choose' ? state.outages.hiddenMethods : state.kind === 'all_down' ? state.hiddenMethods : []
  return method !== undefined && hidden.includes(method)
}
