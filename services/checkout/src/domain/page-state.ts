import { assertNever, isFinal, type FailureReason, type OrderMethod, type TransactionView } from '@gateway/contracts'

/** What the page of a payment shows. */
export type PageState =
  | { readonly kind: 'pay'; readonly intent: string; readonly earlierFailure: FailureReason | null }
  /** It could be paid, but with nothing that this page can do. */
  | { readonly kind: 'no_method'; readonly methods: readonly OrderMethod[] }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'closing'; readonly why: 'cancelled' | 'expired' }
  | { readonly kind: 'success' }
  | { readonly kind: 'failed'; readonly reason: FailureReason | null }

const UPI_LINK = 'upi://pay?'

export function pageState(view: TransactionView, now: Date): PageState {
  if (view.status === 'Success') return { kind: 'success' }
  if (view.status === 'Failed') return { kind: 'failed', reason: view.failure_reason }
  if (view.closing !== null) return { kind: 'closing', why: view.closing }
  if (now >= new Date(view.expires_at)) return { kind: 'closing', why: 'expired' }
  if (isUnderWay(view)) return { kind: 'waiting' }

  const intent = view.checkout?.intent ?? ''
  if (!intent.startsWith(UPI_LINK)) return { kind: 'no_method', methods: view.methods.filter((method) => method !== 'upi') }
  return { kind: 'pay', intent, earlierFailure: view.attempts.at(-1)?.failure_reason ?? null }
}

/** The same for states that look the same, so that a page is only replaced by a different one. */
export function keyOf(state: PageState): string {
  switch (state.kind) {
    case 'pay':
      return `pay:${state.earlierFailure ?? 'first'}`
    case 'closing':
      return `closing:${state.why}`
    case 'failed':
      return `failed:${state.reason ?? 'unknown'}`
    case 'no_method':
    case 'waiting':
    case 'success':
      return state.kind
    default:
      return assertNever(state)
  }
}

/** Nothing can follow, so nobody needs to wait. */
export function isOver(view: TransactionView): boolean {
  return isFinal(view.status)
}

/** Somebody is paying: to show the code again would invite a second payment. */
function isUnderWay({ status, attempts, payable }: TransactionView): boolean {
  return attempts.some((attempt) => attempt.status === 'open') || (status === 'Pending' && !payable)
}

/** Until an open payment ends by its time, in milliseconds; never negative. */
export function remainingMs(view: TransactionView, now: Date): number {
  return Math.max(new Date(view.expires_at).getTime() - now.getTime(), 0)
}
