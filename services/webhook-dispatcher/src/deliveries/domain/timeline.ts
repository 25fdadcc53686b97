import type { TimelineDetail, TimelineEvent } from '@gateway/contracts'
import { isAcknowledged } from '../../sending/index.ts'
import type { Attempt, DeadReason, Delivery, Resend } from './delivery.ts'

/**
 * What happened to a webhook: each attempt with its result, each resend, and the end of a schedule. What an earlier answer had
 * stays in later ones, also after a resend.
 */
export function timelineOf(delivery: Delivery): TimelineEvent[] {
  const { id, transactionId, sequence, attempts, resends } = delivery
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
    const endedAt = new Date(attempt.at.getTime() + attempt.durationMs)
    return reason === undefined ? [made] : [made, event(endedAt, 'webhook.dead', { reason, attempts: attempt.number })]
  })
  return [...tried, ...resends.map(({ at, attemptCount }) => event(at, 'webhook.resent', { after_attempts: attemptCount }))]
}

/** The attempts after which the delivery was dead, by number, with the reason. */
function endsOf({ state, attemptCount, resends }: Delivery): ReadonlyMap<number, DeadReason> {
  const earlier = resends.flatMap((resend): [number, DeadReason][] =>
    resend.deadReason === null ? [] : [[resend.attemptCount, resend.deadReason]],
  )
  return new Map([...earlier, ...(state.status === 'dead' ? [[attemptCount, state.reason] as const] : [])])
}

/** A resend may go to another URL than the attempts before it. */
function urlOf({ number }: Attempt, { url, resends }: Delivery): string | null {
  const later = resends.find(({ attemptCount }: Resend) => number <= attemptCount)
  return later ? later.url : url
}

function attemptDetail({ number, statusCode, error, durationMs }: Attempt, url: string | null): TimelineDetail {
  const result = isAcknowledged({ statusCode, error }) ? 'acknowledged' : 'not acknowledged'
  const answer = { result, status_code: statusCode, error, duration_ms: durationMs }
  return { attempt: number, ...answer, url_origin: originOf(url) }
}

/** Without its path, which may hold a secret of the merchant. */
function originOf(url: string | null): string | null {
  return url !== null && URL.canParse(url) ? new URL(url).origin : null
}
