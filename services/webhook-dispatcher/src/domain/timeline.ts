import type { TimelineEvent } from '@gateway/contracts'
import { isAcknowledged, type Delivery } from './delivery.ts'

/** What happened to a webhook: each attempt with its result, or why there was none. */
export function timelineOf({ id, transactionId, sequence, attempts, url }: Delivery): TimelineEvent[] {
  const refund = id.startsWith(`${transactionId}.`) ? {} : { refund: id.slice(0, id.lastIndexOf('.')) }
  return attempts.map(({ number, at, durationMs, statusCode, error }) => {
    const told = { at: at.toISOString(), source: 'webhooks', sequence } as const
    // Number 0 is no attempt: there was nowhere to send the webhook to.
    if (number === 0) return { ...told, kind: 'webhook.dead', detail: { ...refund, reason: error } }
    const result = isAcknowledged({ statusCode, error }) ? 'acknowledged' : 'not acknowledged'
    const answer = { result, status_code: statusCode, error, duration_ms: durationMs, url_origin: originOf(url) }
    return { ...told, kind: 'webhook.attempt', detail: { ...refund, attempt: number, ...answer } }
  })
}

/** Without its path, which may hold a secret of the merchant. */
function originOf(url: string | null): string | null {
  return url !== null && URL.canParse(url) ? new URL(url).origin : null
}
