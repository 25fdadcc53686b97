import type { NetworkOutcome, RefundStatus } from '@gateway/contracts'

export const CALLBACK_STATES = ['scheduled', 'acknowledged', 'given_up'] as const

/** A planned callback. It is stored inside its payment, so that one write saves both. */
export interface ScheduledCallback {
  readonly id: string
  /** The `webhook-id`; all copies of one callback share it. */
  readonly messageId: string
  /** The reported outcome. */
  readonly outcome: NetworkOutcome
  /** Set for a callback about a refund. It reports this status instead of the payment's outcome. */
  readonly refund?: { readonly id: string; readonly status: RefundStatus }
  /** True: the payment takes this outcome when the callback is claimed, before it is sent. */
  readonly settles: boolean
  /** Id of a callback that must be acknowledged or given up first. */
  readonly after: string | null
  /** True: sent only after payment-status shows the transaction in a final status. */
  readonly waitsForFinal: boolean
  readonly dueAt: Date
  readonly tries: number
  readonly state: (typeof CALLBACK_STATES)[number]
}
