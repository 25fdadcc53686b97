import type { IncomingMessage, Publisher, Route } from '@gateway/messaging'

/** On a parked message that may have been handled before: it is claimed before its POST, as if it were redelivered. */
export const CLAIM_FIRST_HEADER = 'claim-first'

/** Puts a message aside for the park delay, unchanged; resolves when the broker has stored it. */
export type Park = (message: IncomingMessage, claimFirst: boolean) => Promise<void>

export function makePark(publisher: Publisher, route: Route, now: () => Date): Park {
  return ({ messageId, type, correlationId, body }, claimFirst) =>
    publisher.publish({
      ...route,
      messageId,
      type,
      correlationId,
      body,
      headers: { [CLAIM_FIRST_HEADER]: claimFirst },
      timestampMs: now().getTime(),
    })
}
