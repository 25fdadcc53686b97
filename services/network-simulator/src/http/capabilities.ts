import type { Capabilities } from '@gateway/contracts'
import { REFUND_WINDOW_DAYS } from '../domain/decide-refund.ts'

/** What the simulator can do. Real acquirers no longer accept UPI payments by VPA; `UPI_COLLECT` lets testers simulate one that does. */
export function capabilitiesOf({ upiCollect }: { upiCollect: boolean }): Capabilities {
  return {
    contract: 2,
    refunds: { window_days: REFUND_WINDOW_DAYS, partial: true },
    intents: true,
    upi_collect: upiCollect,
    downtimes: true,
    // It can be asked about a payment at any time, and as often as the contract can say.
    enquiry: { first_after_ms: 0, max: 1000 },
  }
}
