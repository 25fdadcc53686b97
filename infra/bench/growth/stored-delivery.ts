import type { TransactionStatusChanged } from '@gateway/contracts'
import { decide, openDelivery, withAttempt } from '../../../services/webhook-dispatcher/src/domain/delivery.ts'
import { payloadOf } from '../../../services/webhook-dispatcher/src/domain/payload.ts'
import type { DeliveryDocument } from '../../../services/webhook-dispatcher/src/persistence/delivery-model.ts'
import { toDocument, UNCLAIMED } from '../../../services/webhook-dispatcher/src/persistence/delivery-mapping.ts'

/** The record of a webhook that was acknowledged at its first attempt. */
export function storedDelivery(event: TransactionStatusChanged, url: string): DeliveryDocument {
  const at = new Date(event.occurred_at)
  const open = openDelivery(event, JSON.stringify(payloadOf(event)), url, at)
  const attempt = { number: 1, at, durationMs: 12, statusCode: 200, error: null, address: '127.0.0.1:443', responseExcerpt: null }
  return toDocument(withAttempt(open, attempt, decide(attempt, 0, [], at)), UNCLAIMED)
}
