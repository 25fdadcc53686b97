import { Unavailable } from '@gateway/contracts'

/** Runs pieces of work with the same key one after another, and those of different keys at once. */
export type KeyedQueue = <T>(key: string, work: () => Promise<T>) => Promise<T>

/** Pieces of work that wait for one key; more are refused. */
const MAX_WAITING = 500

/** Throws `contention` when too many already wait for the key. */
export function createKeyedQueue(maxWaiting = MAX_WAITING): KeyedQueue {
  const queues = new Map<string, { last: Promise<unknown>; size: number }>()
  return async (key, work) => {
    const queue = queues.get(key) ?? { last: Promise.resolve(), size: 0 }
    if (queue.size > maxWaiting) throw new Unavailable('contention', 'Too many changes of one record at once; try again')
    queues.set(key, queue)
    queue.size += 1
    const mine = queue.last.then(work)
    queue.last = mine.catch(() => undefined)
    try {
      return await mine
    } finally {
      queue.size -= 1
      if (queue.size === 0) queues.delete(key)
    }
  }
}

/** Runs pieces of work, each known by a key: at most `maxRunning` at once, the others in the order in which they came. */
export interface RollingWindow {
  /**
   * Starts the work now or as soon as other work ends. Returns false when work with its key already waits, when the queue is full,
   * and, without `again`, when work with its key is running.
   */
  add(key: string, work: () => Promise<void>): boolean
  readonly running: number
  /** Forgets what waits; resolves when everything that runs has ended. */
  stop(): Promise<void>
}

export interface RollingWindowOptions {
  readonly maxRunning: number
  readonly maxWaiting: number
  /** Work that has waited longer than this is forgotten instead of started, in milliseconds. */
  readonly maxWaitMs: number
  /** True: new work waits while work with the same key is running. False: it is refused. */
  readonly again?: boolean
  readonly now: () => Date
  /** Told of each piece of work that failed. */
  readonly onFailure: (key: string, error: unknown) => void
}

export function createRollingWindow(options: RollingWindowOptions): RollingWindow {
  const { maxRunning, maxWaiting, maxWaitMs, again = false, now, onFailure } = options
  const waiting = new Map<string, { readonly work: () => Promise<void>; readonly sinceMs: number }>()
  const running = new Map<string, Promise<void>>()
  let stopped = false

  function startNext(): void {
    for (const [key, { work, sinceMs }] of waiting) {
      if (running.size >= maxRunning) return
      if (running.has(key)) continue
      waiting.delete(key)
      if (now().getTime() - sinceMs <= maxWaitMs) start(key, work)
    }
  }

  function start(key: string, work: () => Promise<void>): void {
    const ended = work()
      .catch((error: unknown) => onFailure(key, error))
      .finally(() => {
        running.delete(key)
        startNext()
      })
    running.set(key, ended)
  }

  return {
    add(key, work) {
      if (stopped || (running.has(key) && !again) || waiting.has(key) || waiting.size >= maxWaiting) return false
      waiting.set(key, { work, sinceMs: now().getTime() })
      startNext()
      return true
    },
    get running() {
      return running.size
    },
    async stop() {
      stopped = true
      waiting.clear()
      await Promise.all(running.values())
    },
  }
}
