import { instantOf, ValidationFailed, type FieldError } from '@gateway/contracts'

/** The ends of the ranges that a list's query may have, in the form in which its schema has checked them. */
export interface Ranges {
  /** Days or times. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly minPaise?: number | undefined
  readonly maxPaise?: number | undefined
}

/** Throws `ValidationFailed` for a range that ends before it begins. A list without results would hide the caller's mistake. */
export function checkRanges({ from, to, minPaise = 0, maxPaise = Infinity }: Ranges): void {
  const errors: FieldError[] = []
  if (from !== undefined && to !== undefined && instantOf(from) > instantOf(to))
    errors.push({ field: '/from', message: 'must not be later than to' })
  if (minPaise > maxPaise) errors.push({ field: '/amount_min', message: 'must not be more than amount_max' })
  if (errors.length > 0) throw new ValidationFailed(errors)
}
