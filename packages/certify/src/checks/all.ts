import { ANSWERS } from './answers.ts'
import { CALLING } from './calling.ts'
import type { Check } from './check.ts'
import { EFFECTS } from './effects.ts'

/** Every check, by its number. */
export const CHECKS: readonly Check[] = [...ANSWERS, ...EFFECTS, ...CALLING].toSorted((one, other) => one.check - other.check)
