import { parseAmount, parseUpiIntent, TRANSACTION_ID_PATTERN, type UpiIntent } from '@gateway/contracts'

export const AN_INTENT = 'must be a UPI link made by the gateway (upi://pay?pa=…&pn=…&mc=…&tr=…&am=…)'

const TRANSACTION_ID = new RegExp(TRANSACTION_ID_PATTERN, 'u')

/** Reads a UPI link; `undefined` when the gateway cannot have made it. */
export function readIntent(link: string): UpiIntent | undefined {
  const intent = parseUpiIntent(link)
  const isPayable = intent && TRANSACTION_ID.test(intent.transactionId) && (parseAmount(intent.amount) ?? 0) > 0
  return isPayable ? intent : undefined
}
