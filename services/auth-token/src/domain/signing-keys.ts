/** Which of the internal signing keys signs, which are shown to verifiers, and when a new one is due. All times in ms. */
export interface KeyAge {
  /** Counts up from 1; the next key is one more. */
  readonly number: number
  readonly createdAt: Date
}

/** The longest that an internal token may live, in seconds (design, section 5). */
export const INTERNAL_TOKEN_MAX_SECONDS = 60

/** A new key is shown before it signs, so that every verifier has heard of it. */
export const PUBLISH_AHEAD_MS = 60_000

/** A replaced key is shown until the last token that it signed has expired, and then some for clocks and caches. */
export const KEEP_REPLACED_MS = 10 * 60_000

/** The newest key that has been shown long enough; else the oldest there is, such as the very first one. */
export function signingKeyOf<Key extends KeyAge>(keys: readonly Key[], now: Date): Key | undefined {
  const oldestFirst = sorted(keys)
  const shown = oldestFirst.filter((key) => now.getTime() - key.createdAt.getTime() >= PUBLISH_AHEAD_MS)
  return shown.at(-1) ?? oldestFirst[0]
}

/** Keys that verifiers must know: those not replaced yet, or only lately. */
export function publishedKeys<Key extends KeyAge>(keys: readonly Key[], now: Date): Key[] {
  const oldestFirst = sorted(keys)
  return oldestFirst.filter((_key, index) => {
    const next = oldestFirst[index + 1]
    return !next || now.getTime() - next.createdAt.getTime() < PUBLISH_AHEAD_MS + KEEP_REPLACED_MS
  })
}

/** Where the sealed private half belongs: it opens for no other key. */
export function signingKeyContext(kid: string): string {
  return `signing-key/${kid}`
}

/** The number of the key to make now; `undefined` while the newest one is young enough. */
export function dueKeyNumber(keys: readonly KeyAge[], now: Date, rotateAfterMs: number): number | undefined {
  const newest = sorted(keys).at(-1)
  if (!newest) return 1
  return now.getTime() - newest.createdAt.getTime() >= rotateAfterMs ? newest.number + 1 : undefined
}

function sorted<Key extends KeyAge>(keys: readonly Key[]): Key[] {
  return keys.toSorted((a, b) => a.number - b.number)
}
