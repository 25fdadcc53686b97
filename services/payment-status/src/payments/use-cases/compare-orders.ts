import { Unavailable } from '@gateway/contracts'
import { narrowerMs, widerMs, type Log } from '@gateway/service-kit'
import type { OrderApi } from '../clients/order-api.ts'
import type { Transactions } from '../persistence/transactions.ts'
import type { Adopt } from './adopt.ts'

/** How far back a replica begins when it starts, in milliseconds. */
const LOOK_BACK_MS = 24 * 60 * 60 * 1000
/** Orders per step; a window of time with more of them is read again, narrower, down to the shortest. */
const MAX_IDS = 1000
const MIN_WIDTH_MS = 1000
const MAX_WIDTH_MS = 10 * 60_000
/** Less is not worth a step. */
const WORTH_MS = 30_000

/**
 * One bounded step of a comparison: the orders of the next window of time, and the transactions of `payment-status`. An order
 * without a transaction is adopted: its event was dead-lettered, or was lost with a queue. Resolves to false: the worker pauses.
 */
export type CompareOrders = () => Promise<false>

export function makeCompareOrders(dependencies: {
  orders: Pick<OrderApi, 'createdBetween'>
  transactions: Pick<Transactions, 'findMissing'>
  adopt: Pick<Adopt, 'byId'>
  /** Whether events can arrive. */
  isBrokerUp: () => boolean
  /** How long an order may lack its transaction while events can arrive, in milliseconds. */
  afterMs: number
  now: () => Date
  log: Log
  alerts: { inc(labels: { kind: string }): void }
}): CompareOrders {
  const { orders, transactions, adopt, isBrokerUp, afterMs, now, log, alerts } = dependencies
  let fromMs = now().getTime() - LOOK_BACK_MS
  let widthMs = MIN_WIDTH_MS
  // Events that were published while this replica did not run or the broker was away are only late.
  let awayAtMs = now().getTime()
  let isWaiting = false

  async function compareNext(): Promise<void> {
    const endMs = now().getTime() - afterMs
    if (endMs - fromMs < Math.min(WORTH_MS, afterMs)) return
    const untilMs = Math.min(endMs, fromMs + widthMs)
    const narrower = narrowerMs(widthMs, MIN_WIDTH_MS)
    // The shortest window is read whole.
    const limit = narrower === undefined ? 10 * MAX_IDS : MAX_IDS
    const ids = await orders.createdBetween(new Date(fromMs), new Date(untilMs), limit)
    if (ids.length >= limit && narrower !== undefined) {
      widthMs = narrower
      return
    }
    for (const id of ids.length > 0 ? await transactions.findMissing(ids) : []) await adoptLost(id)
    fromMs = untilMs
    if (ids.length < MAX_IDS / 8) widthMs = widerMs(widthMs, MAX_WIDTH_MS)
  }

  async function adoptLost(transactionId: string): Promise<void> {
    const adopted = (await adopt.byId(transactionId)) !== undefined
    alerts.inc({ kind: 'order_event_lost' })
    log.error('alert', { kind: 'order_event_lost', transaction_id: transactionId, adopted })
  }

  return async () => {
    if (!isBrokerUp()) awayAtMs = now().getTime()
    if (now().getTime() - awayAtMs < afterMs) return false
    try {
      await compareNext()
      isWaiting = false
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
      if (!isWaiting) log.warn('order comparison waits', { error })
      isWaiting = true
    }
    return false
  }
}
