import { Unavailable } from '@gateway/contracts'

/** More items wait for their batch than the writer keeps. */
export class Overloaded extends Unavailable {
  constructor(waiting: number) {
    super('overloaded', `${waiting} items wait already`)
  }
}

export interface GatherOptions<T, R> {
  readonly maxBatch: number
  /** Batches running at once. */
  readonly maxConcurrentBatches?: number
  /**
   * How long the first item waits for others, in milliseconds, unless a whole batch is there: for work that nobody waits for,
   * where every batch saves more than it delays. By default an idle gatherer runs at once.
   */
  readonly lingerMs?: number
  /** Items that wait for a batch; one more is refused with `Overloaded`. */
  readonly maxWaiting: number
  /** Handles a batch: one result per item, in the same order. When it rejects, every item of the batch does. */
  readonly run: (items: T[]) => Promise<readonly PromiseSettledResult<R>[]>
}

interface Waiting<T, R> {
  readonly item: T
  readonly resolve: (result: R) => void
  readonly reject: (reason: unknown) => void
}

/**
 * Makes batches of what is asked for at the same time, each caller getting its own result. Without `lingerMs` there is no
 * timer: an idle gatherer runs at once, with whatever came in the same turn; while it runs, the next batch gathers.
 */
export function createGather<T, R>(options: GatherOptions<T, R>): (item: T) => Promise<R> {
  const { maxBatch, maxConcurrentBatches = 1, maxWaiting, lingerMs = 0, run } = options
  let waiting: Waiting<T, R>[] = []
  let running = 0
  let scheduled = false

  /** Batches start at the end of this turn, or after lingering. */
  function schedule(): void {
    if (waiting.length >= maxBatch && lingerMs > 0) startBatches()
    if (scheduled || waiting.length === 0 || running >= maxConcurrentBatches) return
    scheduled = true
    if (lingerMs > 0) setTimeout(startBatches, lingerMs)
    else queueMicrotask(startBatches)
  }

  function startBatches(): void {
    scheduled = false
    while (waiting.length > 0 && running < maxConcurrentBatches) {
      const batch = waiting.slice(0, maxBatch)
      waiting = waiting.slice(maxBatch)
      running += 1
      void settle(batch, run).finally(() => {
        running -= 1
        if (lingerMs > 0) schedule()
        else startBatches()
      })
    }
  }

  return (item) => {
    if (waiting.length >= maxWaiting) return Promise.reject(new Overloaded(waiting.length))
    return new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      schedule()
    })
  }
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
