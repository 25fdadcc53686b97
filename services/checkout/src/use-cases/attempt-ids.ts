import { createHmac } from 'node:crypto'

/**
 * Keys for one purpose, derived from the keys in `CHECKOUT_LINK_KEY`. The first one makes ids, tokens and cookies. Those of the other
 * keys are also accepted while the key is replaced.
 */
export type LiveKeys = readonly [Buffer, ...Buffer[]]

/**
 * The attempt id in a form, derived from the payment and its number of attempts so far. A reload, the back button, a second tab
 * and a double click therefore all send the same id. Without the key the next id cannot be predicted.
 */
export type AttemptIdsOf = (transactionId: string, attemptsSoFar: number) => readonly [string, ...string[]]

const ID_BYTES = 16

/** The first id is for new forms. The others are the ids in forms that were made with another live key. */
export function createAttemptIds([current, ...others]: LiveKeys): AttemptIdsOf {
  return (transactionId, attemptsSoFar) => {
    const attempt = `attempt:${transactionId}:${attemptsSoFar}`
    return [idWith(current, attempt), ...others.map((key) => idWith(key, attempt))]
  }
}

function idWith(key: Buffer, attempt: string): string {
  return `att_${createHmac('sha256', key).update(attempt).digest().subarray(0, ID_BYTES).toString('base64url')}`
}
