import { newTransactionId, Unavailable } from '@gateway/contracts'
import { type AttemptResult, notSigned, type SendWebhook, signedHeaders } from '../../sending/index.ts'
import { endpointIdOf, endpointMissing, type FindEndpoint, registrationAt } from '../../endpoints/index.ts'
import { testPayload } from '../../deliveries/index.ts'
import type { InFlightLimit } from '../../throttling/index.ts'

export type SendTestEvent = (merchantId: string) => Promise<AttemptResult>

export interface SendTestEventOptions {
  readonly findEndpoint: FindEndpoint
  readonly limit: Pick<InFlightLimit, 'tryAcquire'>
  readonly send: SendWebhook
  readonly now: () => Date
}

/**
 * Sends one webhook that belongs to no order and returns its result. It is neither recorded nor retried, and changes neither
 * the breaker nor the endpoint's health: it may go to a failing or disabled endpoint, to see whether it works.
 */
export function makeSendTestEvent({ findEndpoint, limit, send, now }: SendTestEventOptions): SendTestEvent {
  return async (merchantId) => {
    const at = now()
    const endpointId = endpointIdOf({ merchant_id: merchantId, channel: 'payment' })
    const known = await findEndpoint(endpointId)
    const registration = registrationAt(known?.endpoint, at)
    if (!known || !registration) throw endpointMissing()

    const releaseSlot = limit.tryAcquire({ endpointId, url: registration.url, priority: 'trials' })
    if (!releaseSlot) throw new Unavailable('endpoint_busy', 'The endpoint is at its limit of webhooks in flight; try again')
    try {
      const keys = known.signingKeys(at)
      if (keys.length === 0) return notSigned(at)
      // It belongs to no order, and no service looks for it.
      const transactionId = newTransactionId(at, 0)
      const body = JSON.stringify(testPayload(transactionId, at))
      const event = { webhookId: `test_${transactionId}`, attempt: 1, sequence: 1, body, at }
      return await send({
        url: registration.url,
        headers: signedHeaders({ ...event, keys, mark: { 'webhook-test': 'true' } }),
        body,
      })
    } finally {
      releaseSlot()
    }
  }
}
