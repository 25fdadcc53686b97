import type { DowntimeSeverity } from '../network-downtimes.ts'
import type { PaymentMethod } from '../transaction.ts'

/** A downtime as merchants see it. */
export interface DowntimeView {
  readonly method: PaymentMethod
  /** The bank, card network or UPI handle; `null` for the whole method. */
  readonly instrument: string | null
  readonly severity: DowntimeSeverity
  readonly began_at: string
  /** When it ends, if that is known. */
  readonly ended_at: string | null
}

/** The answer of `GET /api/v1/downtimes`. */
export interface DowntimesResponse {
  readonly data: { readonly downtimes: readonly DowntimeView[] }
}
