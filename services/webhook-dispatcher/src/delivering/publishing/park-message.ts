import { MAYBE_PUBLISHED_HEADER, type IncomingMessage, type Publisher, type Route } from '@gateway/messaging'
import { messageTraceHeaders } from '@gateway/service-kit/tracing'

/** A message that is published again after `parkMs`. */
export interface Parked {
  readonly parkMs: number
  /**
   * The `next_attempt_at` that the record had when this message last knew it, in milliseconds since 1970; `undefined` when it never
   * did. Only messages of retries carry it.
   */
  readonly recordDueMs?: number | undefined
}

/** How often a message was parked. Counted here, since the broker's `x-death` is lost when a message is published again. */
export const TIMES_PARKED_HEADER = 'times-parked'
/** See `Parked.recordDueMs`. */
export const RECORD_DUE_HEADER = 'record-due'

/** Publishes a message with the same id and body to the park queue of its time; resolves when the broker has stored it. */
export type ParkMessage = (message: IncomingMessage, parked: Parked, mayBeRepeated?: boolean) => Promise<void>

export function makeParkMessage(publisher: Publisher, route: (parkMs: number) => Route, now: () => Date): ParkMessage {
  return ({ messageId, type, correlationId, body, headers }, { parkMs, recordDueMs: due }, mayBeRepeated = false) =>
    publisher.publish({
      ...route(parkMs),
      messageId,
      type,
      correlationId,
      body,
      headers: {
        [MAYBE_PUBLISHED_HEADER]: mayBeRepeated,
        [TIMES_PARKED_HEADER]: timesParked(headers) + 1,
        ...(due === undefined ? {} : { [RECORD_DUE_HEADER]: due }),
        ...messageTraceHeaders(),
      },
      timestampMs: now().getTime(),
    })
}

export function timesParked(headers: IncomingMessage['headers']): number {
  const times: unknown = headers[TIMES_PARKED_HEADER]
  return typeof times === 'number' && times > 0 ? times : 0
}

export function recordDueMs(headers: IncomingMessage['headers']): number | undefined {
  const dueMs: unknown = headers[RECORD_DUE_HEADER]
  return typeof dueMs === 'number' && Number.isFinite(dueMs) ? dueMs : undefined
}
