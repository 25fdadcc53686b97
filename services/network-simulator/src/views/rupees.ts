import { formatPaise } from '@gateway/contracts'

/** As written in India: the last three digits of the rupees are a group, and then two each (₹1,23,456.00). */
export function formatRupees(amountPaise: number): string {
  return `₹${formatPaise(amountPaise).replace(/\d(?=(?:\d\d)+\d\.)/gu, '$&,')}`
}
