import { MAYBE_PUBLISHED_HEADER, type IncomingMessage, type Publisher, type Route } from '@gateway/messaging'
import { messageTraceHeaders } from '@gateway/service-kit/tracing'

/** How often a message was delayed. Counted here, since the broker's `x-death` is lost when a message is published again. */
export const TIMES_DELAYED_HEADER = 'parked'

/** Publishes a message unchanged to the delay queue of `delayMs`; resolves when the broker has stored it. */
export type DelayMessage = (message: IncomingMessage, delayMs: number, isMaybePublished?: boolean) => Promise<void>

export function makeDelayMessage(publisher: Publisher, route: (delayMs: number) => Route, now: () => Date): DelayMessage {
  return ({ messageId, type, correlationId, body, headers }, delayMs, isMaybePublished = false) =>
    publisher.publish({
      ...route(delayMs),
      messageId,
      type,
      correlationId,
      body,
      headers: {
        [MAYBE_PUBLISHED_HEADER]: isMaybePublished,
        [TIMES_DELAYED_HEADER]: timesDelayed(headers) + 1,
        ...messageTraceHeaders(),
      },
      timestampMs: now().getTime(),
    })
}

export function timesDelayed(headers: IncomingMessage['headers']): number {
  const times: unknown = headers[TIMES_DELAYED_HEADER]
  return typeof times === 'number' && times > 0 ? times : 0
}
