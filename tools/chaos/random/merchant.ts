/** A merchant's program, and the history of what became of its requests. */
import { ApiError, Gateway } from '@gateway/sdk'
import type { Action, Learnt, Operation } from '@gateway/simulation/check/history'
import type { ApiConnection, MerchantCredentials } from '@gateway/testkit/merchants'

/** A merchant's program. */
export interface Merchant {
  readonly merchantId: string
  /** An SDK client without retries, because each request is one operation of the history. */
  readonly gateway: Gateway
}

export function openMerchant(
  baseUrl: string,
  credentials: MerchantCredentials,
  fetch: ApiConnection['fetch'],
  timeoutMs: number,
): Merchant {
  return { merchantId: credentials.merchant_id, gateway: new Gateway({ baseUrl, credentials, fetch, timeoutMs, maxRetries: 0 }) }
}

/** The key of an order in the history. */
export function keyOf({ merchantId }: Merchant, orderId: string): string {
  return `${merchantId}/${orderId}`
}

export type Perform = ReturnType<typeof createRecorder>['perform']

/** Writes down what becomes of requests. */
export function createRecorder(nowMs: () => number) {
  const operations: Operation[] = []
  /** Sends one request and records it in the history. Resolves to its result when it took effect. */
  async function perform<T>(
    process: string,
    action: Action,
    send: () => Promise<T>,
    learn: (result: T) => Learnt,
  ): Promise<T | undefined> {
    const invokedMs = nowMs()
    const note = (type: Operation['type'], learnt: Learnt) =>
      operations.push({ process, action, invokedMs, endedMs: nowMs(), type, learnt })
    try {
      const result = await send()
      note('ok', learn(result))
      return result
    } catch (error) {
      // A 429 and the other refusals were made before anything was stored.
      if (error instanceof ApiError) note(error.status >= 500 ? 'info' : 'fail', { code: error.code })
      else note('info', {})
    }
    return undefined
  }
  return { operations, perform }
}
