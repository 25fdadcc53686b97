import { isFinal, Refused, type TransactionView } from '@gateway/contracts'
import { withCorrelation, type Stoppable } from '@gateway/service-kit'
import type { PaymentStatus } from '../clients/payment-status.ts'
import type { Outages } from '../domain/outages.ts'
import { pageKey, pageState } from '../domain/page-state.ts'

export interface PaymentListener {
  /** Called first with the current view, then whenever the page would look different. */
  onChange(view: TransactionView): void
  /** Called when no more changes will follow. */
  onEnd(): void
}

export interface PaymentWatcher extends Stoppable {
  /** Adds a listener and returns the function that removes it. Returns `undefined` at a listener limit, or after `stop`. */
  watch(transactionId: string, listener: PaymentListener): (() => void) | undefined
}

interface Dependencies {
  readonly paymentStatus: PaymentStatus
  readonly now: () => Date
  readonly outagesNow: () => Outages
}

interface Watched {
  readonly listeners: Set<PaymentListener>
  view: TransactionView | undefined
  /** Key of the page state that the listeners last received. */
  shown: string | undefined
  timer: NodeJS.Timeout | undefined
  failures: number
}

/** Time between two polls of one payment, shared by all of its listeners; longer after failures. */
const POLL_EVERY_MS = 500
const MAX_PAUSE_MS = 5000
/**
 * Below the gateway's connection limit for this service (4096), so that open pages never block new ones from loading.
 * A page that is refused a stream polls instead.
 */
const MAX_LISTENERS = 3000
const MAX_LISTENERS_PER_PAYMENT = 20

/** Polls each watched payment once at a time, for all browsers that have its page open. */
export function createPaymentWatcher({ paymentStatus, now, outagesNow }: Dependencies): PaymentWatcher {
  const payments = new Map<string, Watched>()
  let listening = 0
  let stopped = false

  const end = (transactionId: string, watched: Watched): void => {
    clearTimeout(watched.timer)
    if (payments.get(transactionId) === watched) payments.delete(transactionId)
    listening -= watched.listeners.size
    const ended = [...watched.listeners]
    watched.listeners.clear()
    for (const listener of ended) listener.onEnd()
  }

  const poll = async (transactionId: string, watched: Watched): Promise<void> => {
    let isUnknown = false
    try {
      watched.view = await paymentStatus.find(transactionId)
      watched.failures = 0
    } catch (error) {
      isUnknown = error instanceof Refused
      watched.failures += 1
    }
    if (watched.listeners.size === 0) return
    if (!isUnknown) notifyIfChanged(watched, now(), outagesNow())
    if (isUnknown || (watched.view && isFinal(watched.view.status))) end(transactionId, watched)
    else {
      const pauseMs = Math.min(POLL_EVERY_MS * 2 ** watched.failures, MAX_PAUSE_MS)
      watched.timer = setTimeout(() => void poll(transactionId, watched), pauseMs)
    }
  }

  const begin = (transactionId: string): Watched => {
    const watched: Watched = { listeners: new Set(), view: undefined, shown: undefined, timer: undefined, failures: 0 }
    payments.set(transactionId, watched)
    // In the next event-loop turn, after the first listener is added. The poll serves all listeners, so it belongs to no request or trace.
    withCorrelation({}, () => {
      watched.timer = setTimeout(() => void poll(transactionId, watched), 0)
    })
    return watched
  }

  return {
    watch(transactionId, listener) {
      const known = payments.get(transactionId)
      if (stopped || listening >= MAX_LISTENERS || (known?.listeners.size ?? 0) >= MAX_LISTENERS_PER_PAYMENT) return undefined
      const watched = known ?? begin(transactionId)
      watched.listeners.add(listener)
      listening += 1
      // Later, so that the caller first receives the returned function.
      queueMicrotask(() => {
        if (watched.view && watched.listeners.has(listener)) listener.onChange(watched.view)
      })
      return () => {
        if (!watched.listeners.delete(listener)) return
        listening -= 1
        if (watched.listeners.size > 0) return
        clearTimeout(watched.timer)
        if (payments.get(transactionId) === watched) payments.delete(transactionId)
      }
    },
    name: 'event streams',
    stop() {
      stopped = true
      for (const [transactionId, watched] of [...payments]) end(transactionId, watched)
      return Promise.resolve()
    },
  }
}

/** Runs after failed polls too: an order can expire without a new view. */
function notifyIfChanged(watched: Watched, now: Date, outages: Outages): void {
  if (!watched.view) return
  const shown = pageKey(pageState(watched.view, now, outages))
  if (shown === watched.shown) return
  watched.shown = shown
  for (const listener of [...watched.listeners]) listener.onChange(watched.view)
}
