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
