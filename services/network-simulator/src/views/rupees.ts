import { formatPaise } from '@gateway/contracts'

/** Indian grouping: the last three digits of the rupees, then groups of two (₹1,23,456.00). */
export function formatRupees(amountPaise: number): string {
  return `₹${formatPaise(amountPaise).replace(/\d(?=(?:\d\d)+\d\.)/gu, '$&,')}`
}
