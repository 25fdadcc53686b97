import type { TransactionStatusChanged } from '@gateway/contracts'
import { decide, openDelivery, withAttempt } from '@gateway-services/webhook-dispatcher/domain/delivery'
import { payloadOf } from '@gateway-services/webhook-dispatcher/domain/payload'
import type { DeliveryDocument } from '@gateway-services/webhook-dispatcher/persistence/delivery-model'
import { toDocument, UNCLAIMED } from '@gateway-services/webhook-dispatcher/persistence/delivery-mapping'

/** The record of a webhook that was acknowledged at its first attempt. */
export function storedDelivery(event: TransactionStatusChanged, url: string): DeliveryDocument {
  const at = new Date(event.occurred_at)
  const open = openDelivery(event, JSON.stringify(payloadOf(event)), url, at)
  const attempt = { number: 1, at, durationMs: 12, statusCode: 200, error: null, address: '127.0.0.1:443', responseExcerpt: null }
  return toDocument(withAttempt(open, attempt, decide(attempt, 0, [], at)), UNCLAIMED)
}
