/** The result of one sweep, for those of its events that are still not published. */
export interface SweepResult {
  /** Events up to this moment were looked for. */
  readonly cutoffMs: number
  /** False when the sweep stopped at its limit and there may be more. */
  readonly complete: boolean
  /** When the oldest and the newest event that stayed unpublished happened; `undefined` when none did. */
  readonly left: { readonly oldestMs: number; readonly newestMs: number } | undefined
}

/**
 * Knows how old the oldest unpublished event is, as far as this process can know it: from what it holds itself, from what
 * it failed to publish, and from what its last sweep has found. Pure; all times in milliseconds since 1970.
 */
export class Backlog {
  readonly #held = new Map<string, number>()
  #foundOldestMs = Infinity
  #foundNewestMs = -Infinity

  /** An event of this process is to be published. */
  hold(id: string, atMs: number): void {
    this.#held.set(id, atMs)
  }

  /** It is published. */
  publish(id: string): void {
    this.#held.delete(id)
  }

  /** It is not, and now only its document knows it. */
  fail(id: string): void {
    const atMs = this.#held.get(id)
    if (atMs === undefined) return
    this.#held.delete(id)
    this.find(atMs)
  }

  /** A sweep has found an unpublished event that this process did not hold. */
  find(atMs: number): void {
    this.#foundOldestMs = Math.min(this.#foundOldestMs, atMs)
    this.#foundNewestMs = Math.max(this.#foundNewestMs, atMs)
  }

  /**
   * A sweep has ended. What it no longer found was published by somebody, if it could have found it: what is younger than
   * its cutoff stays known.
   */
  swept({ cutoffMs, complete, left }: SweepResult): void {
    if (!complete) return
    const younger = this.#foundNewestMs > cutoffMs
    const leftOldestMs = left?.oldestMs ?? Infinity
    this.#foundOldestMs = younger ? Math.min(leftOldestMs, Math.max(cutoffMs, this.#foundOldestMs)) : leftOldestMs
    this.#foundNewestMs = Math.max(left?.newestMs ?? -Infinity, younger ? this.#foundNewestMs : -Infinity)
  }

  /** When the oldest known unpublished event happened; `Infinity` when there is none. Held events come in time order. */
  oldestMs(): number {
    const [firstHeldMs = Infinity] = this.#held.values()
    return Math.min(firstHeldMs, this.#foundOldestMs)
  }
}
