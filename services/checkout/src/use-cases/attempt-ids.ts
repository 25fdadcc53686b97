import { createHmac, createSecretKey } from 'node:crypto'

/**
 * The attempt id in a form, derived from the payment and its number of attempts so far. A reload, the back button, a second tab
 * and a double click therefore all send the same id. Without the key the next id cannot be predicted.
 */
export type AttemptIdOf = (transactionId: string, attemptsSoFar: number) => string

const ID_BYTES = 16

export function createAttemptIds(keyBytes: Buffer): AttemptIdOf {
  const key = createSecretKey(keyBytes)
  return (transactionId, attemptsSoFar) =>
    `att_${createHmac('sha256', key).update(`attempt:${transactionId}:${attemptsSoFar}`).digest().subarray(0, ID_BYTES).toString('base64url')}`
}
