import type { InFlightLimit, Priority } from '../../throttling/index.ts'

export interface SlowExchangeOptions {
  /** Nearly all endpoints answer sooner. */
  readonly slowAfterMs: number
  /** Without room a slow exchange keeps its message, which holds back others that would find no slot. */
  readonly limit: Pick<InFlightLimit, 'hasRoom'>
}

/**
 * Resolves to true when an exchange takes long and there is room for others, to false when it is over before that. Then its message
 * should be acknowledged at once, as soon as a record keeps the delivery: the broker settles messages in their order, and behind one
 * that is kept for seconds each later one costs it a command of its own.
 */
export type IsSlow = (exchange: Promise<unknown>, priority: Priority) => Promise<boolean>

export function makeIsSlow({ slowAfterMs, limit }: SlowExchangeOptions): IsSlow {
  return (exchange, priority) =>
    new Promise((resolve) => {
      const ask = (): void => {
        if (limit.hasRoom(priority)) resolve(true)
        else timer = setTimeout(ask, slowAfterMs)
      }
      let timer = setTimeout(ask, slowAfterMs)
      const end = (): void => {
        clearTimeout(timer)
        resolve(false)
      }
      exchange.then(end, end)
    })
}
