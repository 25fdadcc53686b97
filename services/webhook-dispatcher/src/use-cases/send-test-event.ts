import { newTransactionId, Unavailable } from '@gateway/contracts'
import type { AttemptResult } from '../domain/delivery.ts'
import { registrationAt } from '../domain/endpoint.ts'
import { testPayload } from '../domain/payload.ts'
import { signedHeaders } from '../sending/signed-headers.ts'
import type { SendWebhook } from '../sending/webhook-client.ts'
import type { FindEndpoint } from './endpoint-directory.ts'
import type { InFlightLimits } from './in-flight-limits.ts'
import { endpointMissing } from './read-endpoint.ts'

export type SendTestEvent = (merchantId: string) => Promise<AttemptResult>

export interface SendTestEventOptions {
  readonly findEndpoint: FindEndpoint
  readonly limits: InFlightLimits
  readonly send: SendWebhook
  readonly now: () => Date
}

/**
 * Sends one webhook that belongs to no order, and says what came of it. It is neither recorded nor tried again,
 * and says nothing of the endpoint's health: it may be sent to one that is left alone or disabled, to see whether it works.
 */
export function makeSendTestEvent({ findEndpoint, limits, send, now }: SendTestEventOptions): SendTestEvent {
  return async (merchantId) => {
    const at = now()
    const known = await findEndpoint(merchantId)
    const registration = registrationAt(known?.endpoint, at)
    if (!known || !registration) throw endpointMissing()

    const giveBack = limits.take({ merchantId, url: registration.url, lane: 'trials' })
    if (!giveBack) throw new Unavailable('endpoint_busy', 'The endpoint has as many webhooks on their way as it may have')
    try {
      const transactionId = newTransactionId(at)
      const body = JSON.stringify(testPayload(transactionId, at))
      const facts = { webhookId: `test_${transactionId}`, attempt: 1, sequence: 1, body, test: true, at }
      return await send({ url: registration.url, headers: signedHeaders({ ...facts, keys: known.signingKeys(at) }), body })
    } finally {
      giveBack()
    }
  }
}
