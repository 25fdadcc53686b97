import type { TransactionView } from '@gateway/contracts'
import { withCorrelation } from '@gateway/service-kit'
import type { PaymentStatus } from '../clients/payment-status.ts'
import { isOver, keyOf, pageState } from '../domain/page-state.ts'

export interface PaymentListener {
  /** At first, and whenever the page would show something else. */
  onChange(view: TransactionView): void
  /** Nothing more will come. */
  onEnd(): void
}

export interface PaymentWatcher {
  /** Listens until the returned function is called; `undefined` when too many listen already, or it is stopped. */
  watch(transactionId: string, listener: PaymentListener): (() => void) | undefined
  /** Ends every listener. */
  stop(): void
}

interface Dependencies {
  readonly paymentStatus: PaymentStatus
  readonly now: () => Date
  /** The least time between two looks at one payment, however many listen to it. */
  readonly pollEveryMs: number
  readonly maxListeners: number
  readonly maxListenersPerPayment: number
}

interface Watched {
  readonly listeners: Set<PaymentListener>
  view: TransactionView | undefined
  /** What the listeners have been told last. */
  shown: string | undefined
  timer: NodeJS.Timeout | undefined
  failures: number
}

const LONGEST_PAUSE_MS = 5000

/** One look at a time per payment, shared by everybody who has its page open. */
export function createPaymentWatcher(dependencies: Dependencies): PaymentWatcher {
  const { paymentStatus, now, pollEveryMs, maxListeners, maxListenersPerPayment } = dependencies
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

  const look = async (transactionId: string, watched: Watched): Promise<void> => {
    const seen = await paymentStatus.find(transactionId).catch(() => 'unavailable' as const)
    if (watched.listeners.size === 0) return
    if (seen === undefined) {
      end(transactionId, watched)
      return
    }
    if (seen === 'unavailable') watched.failures += 1
    else {
      watched.failures = 0
      watched.view = seen
    }
    tellIfChanged(watched, now())
    if (watched.view && isOver(watched.view)) {
      end(transactionId, watched)
      return
    }
    const pauseMs = Math.min(pollEveryMs * 2 ** watched.failures, Math.max(LONGEST_PAUSE_MS, pollEveryMs))
    watched.timer = setTimeout(() => void look(transactionId, watched), pauseMs)
  }

  const begin = (transactionId: string): Watched => {
    const watched: Watched = { listeners: new Set(), view: undefined, shown: undefined, timer: undefined, failures: 0 }
    payments.set(transactionId, watched)
    // In the next turn, when the first listener is there. It is looked for all of them: no one's request, and in no one's trace.
    withCorrelation({}, () => {
      watched.timer = setTimeout(() => void look(transactionId, watched), 0)
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
      // Never before the caller has what this function returns.
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

/** Time alone changes what is shown too: an order that has expired. */
function tellIfChanged(watched: Watched, now: Date): void {
  if (!watched.view) return
  const shown = keyOf(pageState(watched.view, now))
  if (shown === watched.shown) return
  watched.shown = shown
  for (const listener of [...watched.listeners]) listener.onChange(watched.view)
}
