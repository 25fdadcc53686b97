import { Gateway } from '@gateway/sdk'
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
