/**
 * The merchant's memory of webhooks: a key-value store that every process of the receiver shares, such as Redis or a table with
 * a unique key. It only compares and writes. The values say when a claim ends, so after a crash another process can handle the
 * event, even if the store never forgets a value. The clocks of the processes may differ by 45 s at most. The README has a store for
 * PostgreSQL.
 */
export interface ReceiverStore {
  /** The value of the key; `undefined` when it has none. */
  get(key: string): Promise<string | undefined>
  /**
   * Writes the value only while the key still has the value `seen`, or none when `seen` is `undefined`, in one atomic step. The
   * store may forget the key `keepSeconds` later, not before.
   *
   * @returns whether it was written
   */
  replace(key: string, seen: string | undefined, value: string, keepSeconds: number): Promise<boolean>
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
  return {
    get: (key) => Promise.resolve(read(key)),
    replace(key, seen, value, keepSeconds) {
      if (read(key) !== seen) return Promise.resolve(false)
      entries.delete(key)
      entries.set(key, { value, endsAtMs: nowMs() + keepSeconds * 1000 })
      forgetOldest(entries)
      return Promise.resolve(true)
    },
  }
}

const MAX_ENTRIES = 100_000

function forgetOldest(entries: Map<string, unknown>): void {
  const [oldest] = entries.keys()
  if (entries.size > MAX_ENTRIES && oldest !== undefined) entries.delete(oldest)
}
