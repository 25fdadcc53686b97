/** What one sweep says about events that are still not published. */
export interface SweepResult {
  /** The sweep looked for events up to this moment. */
  readonly cutoffMs: number
  /** False when the sweep stopped at its limit and there may be more. */
  readonly complete: boolean
  /** When the oldest and the newest event that stayed unpublished happened; `undefined` when none did. */
  readonly left: { readonly oldestMs: number; readonly newestMs: number } | undefined
}

/**
 * The age of the oldest unpublished event as far as this process knows: from its own events, from those it failed to publish,
 * and from its last sweep. Pure; all times in milliseconds since 1970.
 */
export class Backlog {
  readonly #held = new Map<string, number>()
  #foundOldestMs = Infinity
  #foundNewestMs = -Infinity

  /** This process is about to publish the event. */
  hold(id: string, atMs: number): void {
    this.#held.set(id, atMs)
  }

  /** The event is published. */
  notePublished(id: string): void {
    this.#held.delete(id)
  }

  /** Publishing failed; the event is now only in its document. */
  noteFailed(id: string): void {
    const atMs = this.#held.get(id)
    if (atMs === undefined) return
    this.#held.delete(id)
    this.noteFound(atMs)
  }

  /** A sweep has found an unpublished event that this process did not hold. */
  noteFound(atMs: number): void {
    this.#foundOldestMs = Math.min(this.#foundOldestMs, atMs)
    this.#foundNewestMs = Math.max(this.#foundNewestMs, atMs)
  }

  /**
   * A sweep has ended. Events that it did not find again have been published by some replica. Events younger than its cutoff
   * stay known, since it did not look for them.
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
