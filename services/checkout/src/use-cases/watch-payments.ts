import { isFinal, type TransactionView } from '@gateway/contracts'
import { withCorrelation } from '@gateway/service-kit'
import type { PaymentStatus } from '../clients/payment-status.ts'
import type { Outages } from '../domain/outages.ts'
import { pageKey, pageState } from '../domain/page-state.ts'

export interface PaymentListener {
  /** Called first with the current view, then whenever the page would look different. */
  onChange(view: TransactionView): void
  /** Called when no more changes will follow. */
  onEnd(): void
}

export interface PaymentWatcher {
  /** Adds a listener and returns the function that removes it. Returns `undefined` at a listener limit, or after `stop`. */
  watch(transactionId: string, listener: PaymentListener): (() => void) | undefined
  /** Ends every listener. */
  stop(): void
}

interface Dependencies {
  readonly paymentStatus: PaymentStatus
  readonly now: () => Date
  readonly outagesNow: () => Outages
  /** Time between two polls of one payment, shared by all of its listeners. */
  readonly pollEveryMs: number
  readonly maxListeners: number
  readonly maxListenersPerPayment: number
}

interface Watched {
  readonly listeners: Set<PaymentListener>
  view: TransactionView | undefined
  /** Key of the page state that the listeners last received. */
  shown: string | undefined
  timer: NodeJS.Timeout | undefined
  failures: number
}

const MAX_PAUSE_MS = 5000

/** Polls each watched payment once at a time, for all browsers that have its page open. */
export function createPaymentWatcher(dependencies: Dependencies): PaymentWatcher {
  const { paymentStatus, now, outagesNow, pollEveryMs, maxListeners, maxListenersPerPayment } = dependencies
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
    const answer = await paymentStatus.find(transactionId).catch(() => 'unavailable' as const)
    if (watched.listeners.size === 0) return
    if (answer === undefined) {
      end(transactionId, watched)
      return
    }
    if (answer === 'unavailable') watched.failures += 1
    else {
      watched.failures = 0
      watched.view = answer
    }
    notifyIfChanged(watched, now(), outagesNow())
    if (watched.view && isFinal(watched.view.status)) {
      end(transactionId, watched)
      return
    }
    const pauseMs = Math.min(pollEveryMs * 2 ** watched.failures, Math.max(MAX_PAUSE_MS, pollEveryMs))
    watched.timer = setTimeout(() => void poll(transactionId, watched), pauseMs)
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
      if (stopped || listening >= maxListeners || (known?.listeners.size ?? 0) >= maxListenersPerPayment) return undefined
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
    stop() {
      stopped = true
      for (const [transactionId, watched] of [...payments]) end(transactionId, watched)
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
