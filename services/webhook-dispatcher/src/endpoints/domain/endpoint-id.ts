/** What a webhook tells about. Each channel has an endpoint of its own, with its own URLs, secrets and health. */
export const CHANNELS = ['payment', 'refund'] as const
export type Channel = (typeof CHANNELS)[number]

declare const brand: unique symbol

/**
 * The id under which an endpoint is stored, looked up and limited: `<merchant id>`, for refunds `<merchant id>:refund`. The endpoint
 * `<merchant id>:listen` has no URL, only the secret that signs copies for `pgw listen`.
 */
export type EndpointId = string & { readonly [brand]: 'EndpointId' }

/** Whose endpoint it is. No merchant id has a colon. */
export interface EndpointOwner {
  readonly merchant_id: string
  readonly channel: Channel | 'listen'
}

export function endpointIdOf({ merchant_id: merchantId, channel }: EndpointOwner): EndpointId {
  return (channel === 'payment' ? merchantId : `${merchantId}:${channel}`) as EndpointId
}

/** The endpoint id in text that this service has written. */
export function endpointIdIn(text: string): EndpointId {
  return text as EndpointId
}

export function ownerOf(endpointId: EndpointId): EndpointOwner {
  const [merchantId = '', suffix] = endpointId.split(':')
  return { merchant_id: merchantId, channel: suffix === 'refund' || suffix === 'listen' ? suffix : 'payment' }
}
