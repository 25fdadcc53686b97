import { ACCEPTED } from './accepted.ts'
import { CALLING } from './calling.ts'
import type { Check } from './check.ts'
import { CONFIRMED } from './confirmed.ts'
import { FORGED } from './forged.ts'
import { ONCE } from './once.ts'
import { UNEXPECTED } from './unexpected.ts'
import { UNPAID } from './unpaid.ts'
import { WITHHELD } from './withheld.ts'

export const CHECKS: readonly Check[] = [
  ...ACCEPTED,
  ...FORGED,
  ...ONCE,
  ...CONFIRMED,
  UNPAID,
  ...UNEXPECTED,
  ...CALLING,
  WITHHELD,
]
