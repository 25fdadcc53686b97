/** Decides which internal signing key signs, which keys are published to verifiers, and when a new one is due. */
export interface KeyAge {
  /** 1 for the first key; each new key has the next number. */
  readonly _id: number
  readonly created_at: Date
}

/** The longest that an internal token may live, in seconds (design, section 5). */
export const INTERNAL_TOKEN_MAX_SECONDS = 60

/** How long a new key is published before it signs, so that every verifier knows it by then. */
export const PUBLISH_AHEAD_MS = 60_000

/** How long a replaced key stays published: until its last token has expired, with a margin for clocks and caches. */
export const KEEP_REPLACED_MS = 10 * 60_000

/** The newest key that has been published long enough; otherwise the oldest key, which is right for the first one. */
export function signingKeyOf<Key extends KeyAge>(keys: readonly Key[], now: Date): Key | undefined {
  const oldestFirst = sorted(keys)
  const ready = oldestFirst.filter((key) => now.getTime() - key.created_at.getTime() >= PUBLISH_AHEAD_MS)
  return ready.at(-1) ?? oldestFirst[0]
}

/** The keys that verifiers must know: those that are not replaced, or were replaced recently. */
export function publishedKeys<Key extends KeyAge>(keys: readonly Key[], now: Date): Key[] {
  const oldestFirst = sorted(keys)
  return oldestFirst.filter((_key, index) => {
    const next = oldestFirst[index + 1]
    return !next || now.getTime() - next.created_at.getTime() < PUBLISH_AHEAD_MS + KEEP_REPLACED_MS
  })
}

/** Binds a sealed private half to its key: it cannot be opened for another one. */
export function signingKeyContext(kid: string): string {
  return `signing-key/${kid}`
}

/** The number of the key to make now; `undefined` while the newest key is young enough. */
export function dueKeyNumber(keys: readonly KeyAge[], now: Date, rotateAfterMs: number): number | undefined {
  const newest = sorted(keys).at(-1)
  if (!newest) return 1
  return now.getTime() - newest.created_at.getTime() >= rotateAfterMs ? newest._id + 1 : undefined
}

function sorted<Key extends KeyAge>(keys: readonly Key[]): Key[] {
  return keys.toSorted((a, b) => a._id - b._id)
}
