/** What a delivery needs to know of the message that asks for it. */
export interface MessageFacts {
  /** How often the message was delayed. */
  readonly timesDelayed: number
  /** Lets the broker forget the message, while the delivery goes on: its record and the lease of its claim keep it from then on. */
  readonly acknowledge: () => void
}

/** What a retry needs to know of its message. */
export interface RetryMessageFacts extends MessageFacts {
  /** The `next_attempt_at` that the record had when this message last knew it, in milliseconds since 1970; `undefined` when it never did. */
  readonly recordDueMs: number | undefined
}

/** How a message waits in the delay queue. */
export interface Delay {
  readonly delayMs: number
  /** See `RetryMessageFacts`: the message that is published again carries it. Only retries have it. */
  readonly recordDueMs?: number
}
