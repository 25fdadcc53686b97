import type { Walk } from './walk.ts'
import { BANK_WALKS } from './walks-at-bank.ts'
import { UPI_WALKS } from './walks-upi.ts'

/** Every method with every outcome. */
export const WALKS: readonly Walk[] = [...UPI_WALKS, ...BANK_WALKS]
