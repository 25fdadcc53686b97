import { compileReader, type FromSchema } from './schema.ts'

/** The services that know what happened to an order: `payments` is payment-status, `webhooks` is webhook-dispatcher. */
export const TIMELINE_SOURCES = ['payments', 'webhooks'] as const
export type TimelineSource = (typeof TIMELINE_SOURCES)[number]

/** One thing that happened to an order. */
export const timelineEventSchema = {
  type: 'object',
  required: ['at', 'kind', 'source', 'sequence', 'detail'],
  properties: {
    at: { type: 'string', format: 'date-time' },
    /** Such as `order.created`, `attempt.started`, `status.changed`, `reversal.succeeded`, `webhook.attempt`. */
    kind: { type: 'string', minLength: 1 },
    source: { enum: TIMELINE_SOURCES },
    /** Of a status change, its number; of a webhook, the number of the status change that it reports; otherwise `null`. */
    sequence: { type: ['integer', 'null'] },
    /** Short facts in words and ids, by name. */
    detail: { type: 'object', additionalProperties: { type: ['string', 'integer', 'null'] } },
  },
} as const
type Event = FromSchema<typeof timelineEventSchema>
export type TimelineDetail = Readonly<Record<string, string | number | null>>
export type TimelineEvent = Omit<Event, 'detail'> & { readonly detail: TimelineDetail }

/** A service's part of the timeline of one order, as it answers the ledger. */
export const timelinePartSchema = {
  type: 'object',
  required: ['transaction_id', 'events'],
  properties: { transaction_id: { type: 'string', minLength: 1 }, events: { type: 'array', items: timelineEventSchema } },
} as const
export const timelinePart = compileReader(timelinePartSchema)
export interface TimelinePart {
  readonly transaction_id: string
  readonly events: readonly TimelineEvent[]
}

/** The answer of `GET /api/v1/orders/:order_id/timeline`. */
export interface OrderTimeline {
  readonly data: { readonly events: readonly TimelineEvent[] }
  /** The sources that could not be read now. */
  readonly incomplete: readonly TimelineSource[]
}

/** The order of events with the same time: a cause before its effect. */
const CAUSAL_RANK = ['order', 'attempt.started', 'enquiry', 'report', 'attempt', 'status', 'reversal', 'refund', 'webhook']

/** Sorts by time, then by cause, then by sequence. */
export function inTimelineOrder(events: readonly TimelineEvent[]): TimelineEvent[] {
  return events.toSorted(
    (one, other) =>
      Date.parse(one.at) - Date.parse(other.at) ||
      rankOf(one.kind) - rankOf(other.kind) ||
      (one.sequence ?? 0) - (other.sequence ?? 0),
  )
}

function rankOf(kind: string): number {
  const exact = CAUSAL_RANK.indexOf(kind)
  return exact >= 0 ? exact : CAUSAL_RANK.indexOf(kind.split('.')[0] ?? '')
}
