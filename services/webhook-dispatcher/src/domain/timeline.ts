import type { TimelineEvent } from '@gateway/contracts'
import { isAcknowledged, type Delivery } from './delivery.ts'

/** What happened to a webhook: each attempt with its result, and why there was none. */
export function timelineOf(delivery: Delivery): TimelineEvent[] {
  const { sequence, state, attempts, createdAt, url } = delivery
  const told = attempts.map(({ number, at, durationMs, statusCode, error }): TimelineEvent => {
    const result = isAcknowledged({ statusCode, error }) ? 'acknowledged' : 'not acknowledged'
    const detail = { attempt: number, result, status_code: statusCode, error, duration_ms: durationMs, url_origin: originOf(url) }
    return { at: at.toISOString(), kind: 'webhook.attempt', source: 'webhooks', sequence, detail }
  })
  if (told.length > 0 || state.status !== 'dead') return told
  return [{ at: createdAt.toISOString(), kind: 'webhook.dead', source: 'webhooks', sequence, detail: { reason: state.reason } }]
}

/** Without its path, which may hold a secret of the merchant. */
function originOf(url: string | null): string | null {
  return url !== null && URL.canParse(url) ? new URL(url).origin : null
}
