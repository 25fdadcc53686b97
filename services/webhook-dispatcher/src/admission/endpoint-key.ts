/** One URL of one merchant. Two merchants with the same URL are two endpoints: they share neither slots nor breaker. */
export interface EndpointKey {
  readonly merchantId: string
  readonly url: string
}

/** The endpoint as a map key. */
export function endpointKey({ merchantId, url }: EndpointKey): string {
  return JSON.stringify([merchantId, url])
}
