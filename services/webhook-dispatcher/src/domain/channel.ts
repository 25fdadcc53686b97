/** What a webhook tells about. Each channel has an endpoint of its own, with its own URLs, secrets and health. */
export const CHANNELS = ['payment', 'refund'] as const
export type Channel = (typeof CHANNELS)[number]

interface OfChannel {
  readonly merchantId: string
  /** Absent in records of payments. */
  readonly channel?: Channel
}

/**
 * The id under which a channel's endpoint is stored, looked up and limited. A retry message carries it in place of the merchant's
 * id, so that a replica of an older release signs a refund's webhook with the refund endpoint's secret, too.
 */
export function endpointIdOf({ merchantId, channel = 'payment' }: OfChannel): string {
  return channel === 'payment' ? merchantId : `${merchantId}:${channel}`
}
