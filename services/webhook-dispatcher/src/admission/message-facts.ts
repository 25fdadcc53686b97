/** What a delivery needs to know of the message that asks for it. */
export interface MessageFacts {
  /** How often the message was delayed. */
  readonly timesDelayed: number
  /** Lets the broker forget the message, while the delivery goes on: its record and the lease of its claim keep it from then on. */
  readonly acknowledge: () => void
}
