import {
  assertNever,
  orderMethodOf,
  type AttemptView,
  type FailureCode,
  type FailureReason,
  type OrderMethod,
  type PaymentMethod,
  type TransactionView,
} from '@gateway/contracts'
import type { FormMethod } from './card-form.ts'
import { METHODS_IN_ORDER, NO_OUTAGES, outagesKey, type Outages } from './outages.ts'

/** What the payment page shows. */
export type PageState =
  /** The shopper can choose a method; `upi` is offered only together with its link. */
  | {
      readonly kind: 'choose'
      readonly methods: readonly OrderMethod[]
      readonly intent: string | null
      readonly earlierFailure: Failure | null
      /** The method of the attempt that failed, which stays open. */
      readonly lastMethod: OrderMethod | null
      /** Number of attempts so far; each attempt has its own form. */
      readonly attemptsSoFar: number
      /** What is down now; the hidden methods are only those of this order. */
      readonly outages: Outages
    }
  /** Every method of the order is down now. */
  | { readonly kind: 'all_down'; readonly hiddenMethods: readonly OrderMethod[] }
  /** No method of the order can be used now. */
  | { readonly kind: 'no_method' }
  /** An attempt is open, or the network reported a payment that no checkout page started. */
  | { readonly kind: 'waiting'; readonly attempt: OpenAttempt | null; readonly canSwitch: boolean }
  | { readonly kind: 'closing'; readonly why: 'cancelled' | 'expired' }
  | { readonly kind: 'success' }
  | ({ readonly kind: 'failed' } & Failure)

/** Why a payment or an attempt failed; the network's reason only for a decline. */
export interface Failure {
  readonly reason: FailureReason | null
  readonly code: FailureCode | null
}

export interface OpenAttempt {
  readonly id: string
  readonly method: PaymentMethod
}

const UPI_LINK = 'upi://pay?'

/** Decides what the payment page shows at `now`. */
export function pageState(view: TransactionView, now: Date, outages: Outages = NO_OUTAGES): PageState {
  if (view.status === 'Success') return { kind: 'success' }
  if (view.status === 'Failed') return { kind: 'failed', ...failureOf(view) }
  if (view.closing !== null) return { kind: 'closing', why: view.closing }
  if (now >= new Date(view.expires_at)) return { kind: 'closing', why: 'expired' }

  const open = openAttempt(view)
  // Offering a method while an attempt is open would invite a second payment.
  if (open) return { kind: 'waiting', attempt: { id: open.id, method: open.method }, canSwitch: view.attempts_left > 0 }
  if (view.status === 'Pending' && !view.payable) return { kind: 'waiting', attempt: null, canSwitch: false }
  return choices(view, outages)
}

function choices(view: TransactionView, outages: Outages): PageState {
  const link = view.checkout?.intent ?? ''
  const intent = link.startsWith(UPI_LINK) ? link : null
  const ofOrder = METHODS_IN_ORDER.filter((method) => view.methods.includes(method) && (method !== 'upi' || intent !== null))
  if (ofOrder.length === 0) return { kind: 'no_method' }
  const hiddenMethods = ofOrder.filter((method) => outages.hiddenMethods.includes(method))
  const methods = ofOrder.filter((method) => !hiddenMethods.includes(method))
  if (methods.length === 0) return { kind: 'all_down', hiddenMethods }
  const last = view.attempts.at(-1)
  const earlierFailure = last?.failure_reason ? { reason: last.failure_reason, code: last.failure_code } : null
  const lastMethod = last && earlierFailure ? orderMethodOf(last.method) : null
  return {
    ...{ kind: 'choose', methods, intent, earlierFailure, lastMethod, attemptsSoFar: view.attempts.length },
    outages: ofMethods(outages, methods, hiddenMethods),
  }
}

/** Why the payment failed, and the network's reason from the attempt that failed it. */
function failureOf({ failure_reason: reason, attempts }: TransactionView): Failure {
  const declined = attempts.findLast((attempt) => attempt.failure_reason === reason && attempt.failure_code)
  return { reason, code: declined?.failure_code ?? null }
}

/** The outages that matter to an order with these methods. */
function ofMethods(outages: Outages, offered: readonly OrderMethod[], hiddenMethods: readonly OrderMethod[]): Outages {
  const { hiddenBanks, slowBanks } = offered.includes('netbanking') ? outages : NO_OUTAGES
  return { hiddenMethods, slowMethods: outages.slowMethods.filter((method) => offered.includes(method)), hiddenBanks, slowBanks }
}

/** Separates the outages in a key. The page's script keeps a form that is filled in when only what follows has changed. */
const OUTAGES_FOLLOW = '|'

/** Equal for states that look the same, so that an open page is replaced only when it would look different. */
export function pageKey(state: PageState): string {
  switch (state.kind) {
    case 'choose': {
      const down = outagesKey(state.outages)
      return `choose:${state.attemptsSoFar}:${state.earlierFailure?.reason ?? 'none'}${down === '' ? '' : OUTAGES_FOLLOW + down}`
    }
    case 'waiting':
      return `waiting:${state.attempt?.id ?? 'network'}:${state.canSwitch ? 'or-switch' : 'only'}`
    case 'closing':
      return `closing:${state.why}`
    case 'failed':
      return `failed:${state.reason ?? 'unknown'}`
    case 'no_method':
    case 'all_down':
    case 'success':
      return state.kind
    default:
      return assertNever(state)
  }
}

/** The attempt that is open now. */
export function openAttempt({ attempts }: TransactionView): AttemptView | undefined {
  return attempts.find(({ status }) => status === 'open')
}

/** Milliseconds until the payment expires; never negative. */
export function remainingMs(view: TransactionView, now: Date): number {
  return Math.max(new Date(view.expires_at).getTime() - now.getTime(), 0)
}

/** Notices on the page that the shopper is sent back to. */
export const NOTICES = ['already_started', 'out_of_date', 'method_down'] as const
export type Notice = (typeof NOTICES)[number]

/** What a submitted form may do, decided by the attempt id that it carries. */
export type FormDecision =
  /** It starts its attempt, or belongs to the open attempt: a reload, a second click or a second tab. */
  | { readonly kind: 'start' | 'resume'; readonly attemptId: string; readonly method: FormMethod }
  /** It starts nothing: the page shows why. */
  | { readonly kind: 'page'; readonly notice?: Notice }

/** Decides from the payment as it was read. When two forms arrive at once, payment-status decides which one starts. */
export function decideForm(
  view: TransactionView,
  { attemptId, method }: { readonly attemptId: unknown; readonly method: FormMethod | undefined },
  now: Date,
  /** The valid ids of the next attempt: one for each live key. */
  currentAttemptIds: readonly string[],
  outages?: Outages,
): FormDecision {
  const state = pageState(view, now, outages)
  if (state.kind === 'waiting') {
    const open = openAttempt(view)
    // Compared by the form's method: the network may have corrected credit to debit card meanwhile.
    const isSame = open?.id === attemptId && method !== undefined && open && orderMethodOf(open.method) === method
    return isSame ? { kind: 'resume', attemptId: open.id, method } : { kind: 'page', notice: 'already_started' }
  }
  const hidden = state.kind === 'choose' ? state.outages.hiddenMethods : state.kind === 'all_down' ? state.hiddenMethods : []
  if (method !== undefined && hidden.includes(method)) return { kind: 'page', notice: 'method_down' }
  // Without a choice no attempt can start. The attempt of an old form has ended: the page says why and offers the next one.
  if (state.kind !== 'choose' || view.attempts.some(({ id }) => id === attemptId)) return { kind: 'page' }
  const isOffered = method !== undefined && state.methods.includes(method)
  const current = currentAttemptIds.find((id) => id === attemptId)
  return isOffered && current !== undefined
    ? { kind: 'start', attemptId: current, method }
    : { kind: 'page', notice: 'out_of_date' }
}
