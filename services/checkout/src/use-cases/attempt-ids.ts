import { createHmac, createSecretKey } from 'node:crypto'

/**
 * The id that the form of one attempt carries. It follows from the payment and the number of attempts so far, so that a reload,
 * the back button, a second tab and a double click all send the same one, and nobody without the key can name the next.
 */
export type AttemptIdOf = (transactionId: string, attemptsSoFar: number) => string

const ID_BYTES = 16

export function createAttemptIds(keyBytes: Buffer): AttemptIdOf {
  const key = createSecretKey(keyBytes)
  return (transactionId, attemptsSoFar) =>
    `att_${createHmac('sha256', key).update(`attempt:${transactionId}:${attemptsSoFar}`).digest().subarray(0, ID_BYTES).toString('base64url')}`
}
