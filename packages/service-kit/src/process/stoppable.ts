/** A part of a service that can be stopped. */
export interface Stoppable {
  readonly name: string
  /** Announces the stop; the part works as before until it is stopped. */
  readonly retire?: () => void
  /** Stops within the remaining time, in milliseconds. */
  stop(deadlineMs: number): Promise<unknown>
}
