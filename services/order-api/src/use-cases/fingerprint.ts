import { hash } from 'node:crypto'
import { formatPaise, parseAmount, type CreateOrderRequest } from '@gateway/contracts'

/**
 * A digest of a request. Equal for requests with the same fields and values, before defaults and in any order of keys; `"499"`
 * and `"499.00"` are the same amount (design, section 5).
 */
export function fingerprintOf(request: CreateOrderRequest): string {
  const amountPaise = parseAmount(request.amount)
  const comparable = amountPaise === undefined ? request : { ...request, amount: formatPaise(amountPaise) }
  return hash('sha256', canonical(comparable), 'base64url')
}

/** JSON with sorted keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  )
}
