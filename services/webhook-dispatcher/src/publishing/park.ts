import { MAYBE_PUBLISHED_HEADER, type IncomingMessage, type Publisher, type Route } from '@gateway/messaging'
import { messageTraceHeaders } from '@gateway/service-kit/tracing'

/** How often a message was put aside. Our own count: `x-death` does not outlive a publication. */
export const PARKED_HEADER = 'parked'

/** Puts a message aside for `delayMs`, which is one of the levels, unchanged; resolves when the broker has stored it. */
export type Park = (message: IncomingMessage, delayMs: number, maybePublished?: boolean) => Promise<void>

export function makePark(publisher: Publisher, route: (delayMs: number) => Route, now: () => Date): Park {
  return ({ messageId, type, correlationId, body, headers }, delayMs, maybePublished = false) =>
    publisher.publish({
      ...route(delayMs),
      messageId,
      type,
      correlationId,
      body,
      headers: { [MAYBE_PUBLISHED_HEADER]: maybePublished, [PARKED_HEADER]: parkedOf(headers) + 1, ...messageTraceHeaders() },
      timestampMs: now().getTime(),
    })
}

export function parkedOf(headers: IncomingMessage['headers']): number {
  const parked: unknown = headers[PARKED_HEADER]
  return typeof parked === 'number' && parked > 0 ? parked : 0
}
