import { Fault, Unavailable } from '@gateway/contracts'

/** The batcher's queue is full. */
export class Overloaded extends Unavailable {
  constructor(queued: number) {
    super('overloaded', `The queue is full: ${queued} items`)
  }
}

export interface BatcherOptions<T, R> {
  /** Largest number of items in one batch. */
  readonly maxBatchSize: number
  /** Items that may wait for a batch. One more is rejected with `Overloaded`. */
  readonly maxQueued: number
  /**
   * How long the first item waits for others, in milliseconds. For work that no caller waits for. By default an idle
   * batcher starts at the end of the current event-loop turn.
   */
  readonly maxDelayMs?: number
  /** A batch starts without delay as soon as this many items wait. By default `maxBatchSize`. */
  readonly flushAtSize?: number
  /**
   * Pause after a batch of at least eight items, in milliseconds. It ends early for a full batch or an
   * immediate item. At load this makes batches larger and each item cheaper; at low load no caller waits.
   */
  readonly pauseMs?: number
  /** After this time, in milliseconds, a running batch no longer blocks the next. For reads, of which one may hang. */
  readonly slowAfterMs?: number
  /** Handles a batch: one result per item, in the same order. A rejection rejects every item of the batch. */
  readonly run: (items: T[]) => Promise<readonly PromiseSettledResult<R>[]>
}

export interface Batcher<T, R> {
  /** Adds an item to the next batch and resolves to its own result. `immediate` starts that batch without delay. */
  (item: T, options?: { readonly immediate: boolean }): Promise<R>
  /** Starts the waiting batch now, or right after the running one. */
  flush(): void
}

interface QueuedItem<T, R> {
  readonly item: T
  readonly immediate: boolean
  readonly resolve: (result: R) => void
  readonly reject: (reason: unknown) => void
}

/** A batch this large comes from real load, not from two callers that met by chance. */
const LOADED_BATCH_SIZE = 8

/**
 * Groups concurrent work into one command. Each caller gets its own result. One batch runs at a time; items that arrive
 * meanwhile form the next one. Without `maxDelayMs` and `pauseMs` no timer is involved.
 */
export function createBatcher<T, R>(options: BatcherOptions<T, R>): Batcher<T, R> {
  const { maxBatchSize, slowAfterMs, pauseMs = 0, maxQueued, maxDelayMs = 0, flushAtSize = maxBatchSize, run } = options
  let queue: QueuedItem<T, R>[] = []
  let running = false
  let atEndOfTurn = false
  let delayTimer: NodeJS.Timeout | undefined
  let endPause: (() => void) | undefined

  /** Starts the next batch at the end of this turn, or after the delay. */
  function schedule(immediate: boolean): void {
    if (queue.length === 0 || running) return
    if (maxDelayMs > 0 && !immediate && queue.length < flushAtSize) {
      delayTimer ??= setTimeout(startBatch, maxDelayMs)
      return
    }
    if (atEndOfTurn) return
    atEndOfTurn = true
    queueMicrotask(startBatch)
  }

  function startBatch(): void {
    atEndOfTurn = false
    clearTimeout(delayTimer)
    delayTimer = undefined
    if (queue.length === 0 || running) return
    const batch = queue.slice(0, maxBatchSize)
    queue = queue.slice(maxBatchSize)
    running = true
    void atMost(slowAfterMs, settle(batch, run)).then(async () => {
      const isUrgent = queue.length >= maxBatchSize || queue.some(({ immediate }) => immediate)
      const pauses = pauseMs > 0 && batch.length >= LOADED_BATCH_SIZE && !isUrgent
      if (pauses) await pause()
      running = false
      // What came during the pause has waited for others.
      if (maxDelayMs === 0 || pauses) startBatch()
      else schedule(isUrgent)
    })
  }

  async function pause(): Promise<void> {
    const { promise: ended, resolve } = Promise.withResolvers<undefined>()
    endPause = () => resolve(undefined)
    await atMost(pauseMs, ended)
    endPause = undefined
  }

  function add(item: T, { immediate } = { immediate: false }): Promise<R> {
    if (queue.length >= maxQueued) return Promise.reject(new Overloaded(queue.length))
    return new Promise((resolve, reject) => {
      queue.push({ item, immediate, resolve, reject })
      if (immediate || queue.length >= maxBatchSize) endPause?.()
      schedule(immediate)
    })
  }

  function flush(): void {
    queue = queue.map((queued) => ({ ...queued, immediate: true }))
    if (queue.length > 0) endPause?.()
    startBatch()
  }

  return Object.assign(add, { flush })
}

/** Resolves when `ended` does, or after `ms`. Without `ms` it waits without a limit. */
async function atMost(ms: number | undefined, ended: Promise<void>): Promise<void> {
  if (ms === undefined) return ended
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), ms)
  await Promise.race([ended, late])
  clearTimeout(timer)
}

async function settle<T, R>(batch: QueuedItem<T, R>[], run: BatcherOptions<T, R>['run']): Promise<void> {
  try {
    const results = await run(batch.map(({ item }) => item))
    if (results.length !== batch.length) throw new Fault(`a batch of ${batch.length} got ${results.length} results`)
    batch.forEach(({ resolve, reject }, index) => {
      const result = results[index]
      if (result?.status === 'fulfilled') resolve(result.value)
      else reject(result?.reason)
    })
  } catch (error) {
    for (const { reject } of batch) reject(error)
  }
}
