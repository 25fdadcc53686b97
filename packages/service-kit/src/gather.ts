import { setTimeout as sleep } from 'node:timers/promises'
import { Unavailable } from '@gateway/contracts'

/** More items wait for their batch than the writer keeps. */
export class Overloaded extends Unavailable {
  constructor(waiting: number) {
    super('overloaded', `${waiting} items wait already`)
  }
}

export interface GatherOptions<T, R> {
  readonly maxBatch: number
  /** A batch that runs for longer, in milliseconds, no longer keeps the next from starting: for reads, of which one may be stuck. */
  readonly slowAfterMs?: number
  /**
   * How much later the next batch starts, in milliseconds, after one of several items, unless a whole one waits already: at load
   * batches are larger, and each item costs less. Where hardly two meet nobody waits.
   */
  readonly pauseMs?: number
  /**
   * How long the first item waits for others, in milliseconds, unless there are `enough`: for work that nobody waits for,
   * where every batch saves more than it delays. By default an idle gatherer runs at once.
   */
  readonly lingerMs?: number
  /** From so many items on nobody lingers; a whole batch, unless said. At load, batches are large without waiting. */
  readonly enough?: number
  /** Items that wait for a batch; one more is refused with `Overloaded`. */
  readonly maxWaiting: number
  /** Handles a batch: one result per item, in the same order. When it rejects, every item of the batch does. */
  readonly run: (items: T[]) => Promise<readonly PromiseSettledResult<R>[]>
}

export interface Gather<T, R> {
  /** Puts an item into the next batch; resolves to its own result. With an `urgent` one nothing of its batch lingers. */
  (item: T, options?: { readonly urgent: boolean }): Promise<R>
  /** What lingers runs now, or right after the batch that is running. */
  flush(): void
}

interface Waiting<T, R> {
  readonly item: T
  readonly urgent: boolean
  readonly resolve: (result: R) => void
  readonly reject: (reason: unknown) => void
}

/** A batch of so many is one of many callers at once, and no chance meeting. */
const SEVERAL = 8

/**
 * Makes batches of what is asked for at the same time, each caller getting its own result. Without `lingerMs` and `pauseMs` there
 * is no timer: an idle gatherer runs at once, with whatever came in the same turn; while it runs, the next batch gathers.
 */
export function createGather<T, R>(options: GatherOptions<T, R>): Gather<T, R> {
  const { maxBatch, slowAfterMs, pauseMs = 0, maxWaiting, lingerMs = 0, enough = maxBatch, run } = options
  let waiting: Waiting<T, R>[] = []
  let running = false
  let atEndOfTurn = false
  let lingering: NodeJS.Timeout | undefined

  /** The next batch starts at the end of this turn, or after lingering. */
  function schedule(urgent = lingerMs === 0): void {
    if (waiting.length === 0 || running) return
    if (!urgent && waiting.length < enough) {
      lingering ??= setTimeout(startBatch, lingerMs)
      return
    }
    if (atEndOfTurn) return
    atEndOfTurn = true
    queueMicrotask(startBatch)
  }

  function startBatch(): void {
    atEndOfTurn = false
    clearTimeout(lingering)
    lingering = undefined
    if (waiting.length === 0 || running) return
    const batch = waiting.slice(0, maxBatch)
    waiting = waiting.slice(maxBatch)
    running = true
    void endOrSlow(settle(batch, run), slowAfterMs).then(async () => {
      if (pauseMs > 0 && batch.length >= SEVERAL && waiting.length < maxBatch) await sleep(pauseMs)
      running = false
      if (lingerMs === 0) startBatch()
      else schedule(waiting.some(({ urgent }) => urgent))
    })
  }

  function gather(item: T, { urgent } = { urgent: lingerMs === 0 }): Promise<R> {
    if (waiting.length >= maxWaiting) return Promise.reject(new Overloaded(waiting.length))
    return new Promise((resolve, reject) => {
      waiting.push({ item, urgent, resolve, reject })
      schedule(urgent)
    })
  }

  function flush(): void {
    waiting = waiting.map((one) => ({ ...one, urgent: true }))
    startBatch()
  }

  return Object.assign(gather, { flush })
}

/** Resolves when the batch has ended, or when it has run for so long that nobody waits for it any more. */
async function endOrSlow(ended: Promise<void>, slowAfterMs: number | undefined): Promise<void> {
  if (slowAfterMs === undefined) return ended
  const { promise: slow, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), slowAfterMs)
  await Promise.race([ended, slow])
  clearTimeout(timer)
}

async function settle<T, R>(batch: Waiting<T, R>[], run: GatherOptions<T, R>['run']): Promise<void> {
  try {
    const results = await run(batch.map(({ item }) => item))
    if (results.length !== batch.length) throw new Error(`a batch of ${batch.length} got ${results.length} results`)
    batch.forEach(({ resolve, reject }, index) => {
      const result = results[index]
      if (result?.status === 'fulfilled') resolve(result.value)
      else reject(result?.reason)
    })
  } catch (error) {
    for (const { reject } of batch) reject(error)
  }
}
