import type { Journey } from './journey.ts'
import { BANK_JOURNEYS } from './journeys-at-bank.ts'
import { UPI_JOURNEYS } from './journeys-upi.ts'

/** Every method with every outcome. */
export const JOURNEYS: readonly Journey[] = [...UPI_JOURNEYS, ...BANK_JOURNEYS]
