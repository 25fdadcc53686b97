import { hash } from 'node:crypto'
import { formatPaise, parseAmount, type CreateOrderRequest } from '@gateway/contracts'

/**
 * Equal for two requests that send the same fields with the same values, before defaults, whatever the order of their
 * keys; `"499"` and `"499.00"` are the same amount (design, section 5).
 */
export function fingerprintOf(request: CreateOrderRequest): string {
  const amountPaise = parseAmount(request.amount)
  const comparable = amountPaise === undefined ? request : { ...request, amount: formatPaise(amountPaise) }
  return hash('sha256', canonical(comparable), 'base64url')
}

/** JSON with the keys of every object in order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  )
}
