import { constants, getPriority, setPriority } from 'node:os'

const LOWER = constants.priority.PRIORITY_BELOW_NORMAL

/** Lowers the priority of this process: where services share processors, a payment comes before its entry in the ledger. */
export function yieldToPayments(): void {
  try {
    if (getPriority() < LOWER) setPriority(LOWER)
  } catch {
    // Some sandboxes forbid it. Then the ledger takes its equal share.
  }
}
