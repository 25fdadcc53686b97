import { MAYBE_PUBLISHED_HEADER, type IncomingMessage, type Publisher, type Route } from '@gateway/messaging'
import { messageTraceHeaders } from '@gateway/service-kit/tracing'
import type { Delay } from '../admission/message-facts.ts'

/** How often a message was delayed. Counted here, since the broker's `x-death` is lost when a message is published again. */
export const TIMES_DELAYED_HEADER = 'parked'
/** See `RetryMessageFacts.recordDueMs`. */
export const RECORD_DUE_HEADER = 'record-due'

/** Publishes a message with the same id and body to the queue of its delay; resolves when the broker has stored it. */
export type DelayMessage = (message: IncomingMessage, delay: Delay, isMaybePublished?: boolean) => Promise<void>

export function makeDelayMessage(publisher: Publisher, route: (delayMs: number) => Route, now: () => Date): DelayMessage {
  return ({ messageId, type, correlationId, body, headers }, { delayMs, recordDueMs: due }, isMaybePublished = false) =>
    publisher.publish({
      ...route(delayMs),
      messageId,
      type,
      correlationId,
      body,
      headers: {
        [MAYBE_PUBLISHED_HEADER]: isMaybePublished,
        [TIMES_DELAYED_HEADER]: timesDelayed(headers) + 1,
        ...(due === undefined ? {} : { [RECORD_DUE_HEADER]: due }),
        ...messageTraceHeaders(),
      },
      timestampMs: now().getTime(),
    })
}

export function timesDelayed(headers: IncomingMessage['headers']): number {
  const times: unknown = headers[TIMES_DELAYED_HEADER]
  return typeof times === 'number' && times > 0 ? times : 0
}

export function recordDueMs(headers: IncomingMessage['headers']): number | undefined {
  const dueMs: unknown = headers[RECORD_DUE_HEADER]
  return typeof dueMs === 'number' && Number.isFinite(dueMs) ? dueMs : undefined
}
