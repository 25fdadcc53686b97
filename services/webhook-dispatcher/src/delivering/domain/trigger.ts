/** The message that triggered an attempt. */
export interface Trigger {
  /** How often the message was parked. */
  readonly timesParked: number
  /** Lets the broker forget the message, while the delivery goes on: its record and the lease of its claim keep it from then on. */
  readonly acknowledge: () => void
}

export interface RetryTrigger extends Trigger, Pick<Parked, 'recordDueMs'> {}

/** A message that is published again after `parkMs`. */
export interface Parked {
  readonly parkMs: number
  /**
   * The `next_attempt_at` that the record had when this message last knew it, in milliseconds since 1970; `undefined` when it never
   * did. Only messages of retries carry it.
   */
  readonly recordDueMs?: number | undefined
}
