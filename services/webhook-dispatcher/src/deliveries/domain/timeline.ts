import type { TimelineDetail, TimelineEvent } from '@gateway/contracts'
import { isAcknowledged } from '../../sending/index.ts'
import type { Attempt, DeadReason, Delivery, Resend } from './delivery.ts'

/**
 * What happened to a webhook: each attempt with its result, each resend, and the end of a schedule. What an earlier answer had
 * stays in later ones, also after a resend.
 */
export function timelineOf(delivery: Delivery): TimelineEvent[] {
  const { id, transaction_id: transactionId, sequence, attempts, resends } = delivery
  const refund = id.startsWith(`${transactionId}.`) ? {} : { refund: id.slice(0, id.lastIndexOf('.')) }
  const event = (at: Date, kind: string, detail: TimelineDetail): TimelineEvent => ({
    ...{ at: at.toISOString(), kind, source: 'webhooks', sequence, detail: { ...refund, ...detail } },
  })

  const ends = endsOf(delivery)
  const tried = attempts.flatMap((attempt) => {
    // Number 0 is no attempt: there was no URL to send the webhook to, or it was disabled.
    if (attempt.number === 0) return [event(attempt.at, 'webhook.dead', { reason: attempt.error })]
    const made = event(attempt.at, 'webhook.attempt', attemptDetail(attempt, urlOf(attempt, delivery)))
    const reason = ends.get(attempt.number)
    const endedAt = new Date(attempt.at.getTime() + attempt.duration_ms)
    return reason === undefined ? [made] : [made, event(endedAt, 'webhook.dead', { reason, attempts: attempt.number })]
  })
  return [...tried, ...resends.map(({ at, attempt_count }) => event(at, 'webhook.resent', { after_attempts: attempt_count }))]
}

/** The attempts after which the delivery was dead, by number, with the reason. */
function endsOf({ state, attempt_count, resends }: Delivery): ReadonlyMap<number, DeadReason> {
  const earlier = resends.flatMap((resend): [number, DeadReason][] =>
    resend.dead_reason === null ? [] : [[resend.attempt_count, resend.dead_reason]],
  )
  return new Map([...earlier, ...(state.status === 'dead' ? [[attempt_count, state.reason] as const] : [])])
}

/** A resend may go to another URL than the attempts before it. */
function urlOf({ number }: Attempt, { url, resends }: Delivery): string | null {
  const later = resends.find(({ attempt_count }: Resend) => number <= attempt_count)
  return later ? later.url : url
}

function attemptDetail({ number, status_code, error, duration_ms }: Attempt, url: string | null): TimelineDetail {
  const result = isAcknowledged({ status_code, error }) ? 'acknowledged' : 'not acknowledged'
  return { attempt: number, result, status_code, error, duration_ms, url_origin: originOf(url) }
}

/** Without its path, which may hold a secret of the merchant. */
function originOf(url: string | null): string | null {
  return url !== null && URL.canParse(url) ? new URL(url).origin : null
}
