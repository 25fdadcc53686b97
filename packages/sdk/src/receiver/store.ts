/**
 * The merchant's memory of webhooks: a key-value store that every process of the receiver shares, such as Redis or a table with
 * a unique key. A value may be forgotten `ttlSeconds` after it was written.
 */
export interface ReceiverStore {
  /**
   * Writes the value unless the key has one, in one atomic step (Redis: `SET … NX GET EX`; SQL: `INSERT … ON CONFLICT DO NOTHING`).
   *
   * @returns the value that the key had already; `undefined` when this call has written its own
   */
  add(key: string, value: string, ttlSeconds: number): Promise<string | undefined>
  get(key: string): Promise<string | undefined>
  set(key: string, value: string, ttlSeconds: number): Promise<void>
  delete(key: string): Promise<void>
}

/**
 * A store in the memory of one process, for tests and first steps. It forgets everything at a restart, so a webhook that comes
 * again after one is handled again.
 *
 * @example const receiver = createReceiver({ gateway, secrets, store: memoryStore(), onFinal })
 */
export function memoryStore(nowMs: () => number = Date.now): ReceiverStore {
  const entries = new Map<string, { readonly value: string; readonly endsAtMs: number }>()
  const read = (key: string): string | undefined => {
    const entry = entries.get(key)
    return entry && nowMs() < entry.endsAtMs ? entry.value : undefined
  }
  const write = (key: string, value: string, ttlSeconds: number): void => {
    entries.delete(key)
    entries.set(key, { value, endsAtMs: nowMs() + ttlSeconds * 1000 })
    forgetOldest(entries)
  }
  return {
    add(key, value, ttlSeconds) {
      const before = read(key)
      if (before === undefined) write(key, value, ttlSeconds)
      return Promise.resolve(before)
    },
    get: (key) => Promise.resolve(read(key)),
    set(key, value, ttlSeconds) {
      write(key, value, ttlSeconds)
      return Promise.resolve()
    },
    delete(key) {
      entries.delete(key)
      return Promise.resolve()
    },
  }
}

const MAX_ENTRIES = 100_000

function forgetOldest(entries: Map<string, unknown>): void {
  const [oldest] = entries.keys()
  if (entries.size > MAX_ENTRIES && oldest !== undefined) entries.delete(oldest)
}
