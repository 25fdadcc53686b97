/** One URL of one endpoint. Two merchants with the same URL are two endpoints: they share neither slots nor breaker. */
export interface EndpointKey {
  readonly endpointId: string
  readonly url: string
}

/** The endpoint as a map key: no id has a space. */
export function endpointKey({ endpointId, url }: EndpointKey): string {
  return `${endpointId} ${url}`
}
