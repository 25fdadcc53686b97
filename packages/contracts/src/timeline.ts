import { integerOrNull, listOf, requiredFields, text, time } from './schema-parts.ts'
import { compileReader, type FromSchema } from './schema.ts'

/** The services that know what happened to an order: `payments` is payment-status, `webhooks` is webhook-dispatcher. */
export const TIMELINE_SOURCES = ['payments', 'webhooks'] as const
export type TimelineSource = (typeof TIMELINE_SOURCES)[number]

/** One thing that happened to an order. */
export const timelineEventSchema = requiredFields({
  at: { ...time, description: 'when it happened' },
  kind: {
    ...text,
    minLength: 1,
    description: 'what happened, such as order.created, status.changed or webhook.attempt; later versions add some',
  },
  source: { enum: TIMELINE_SOURCES, description: 'the part of the gateway that recorded it' },
  sequence: {
    ...integerOrNull,
    description: 'of a status change, its number; of a webhook, the number of the status change that it reports; otherwise null',
  },
  detail: {
    type: 'object',
    additionalProperties: { type: ['string', 'integer', 'null'] },
    description: 'short facts by name, such as status or failure_code; later versions add some',
  },
})
export type TimelineDetail = Readonly<Record<string, string | number | null>>
export type TimelineEvent = Omit<FromSchema<typeof timelineEventSchema>, 'detail'> & { readonly detail: TimelineDetail }

/** The payment's part of the timeline of one order, as payment-status answers the ledger. */
export const timelinePartSchema = requiredFields({
  transaction_id: { ...text, minLength: 1 },
  events: listOf(timelineEventSchema),
})
export const timelinePart = compileReader(timelinePartSchema)
export interface TimelinePart {
  readonly transaction_id: string
  readonly events: readonly TimelineEvent[]
}

/** The webhooks of one order, as the dispatcher answers the ledger. */
export const webhookTimeline = compileReader(requiredFields({ events: timelinePartSchema.properties.events }))
export type WebhookTimeline = Pick<TimelinePart, 'events'>

/** The answer of `GET /api/v1/orders/:order_id/timeline`. */
export const timelineResponseSchema = requiredFields({
  data: requiredFields({ events: listOf(timelineEventSchema) }),
  incomplete: { ...listOf({ enum: TIMELINE_SOURCES }), description: 'the sources that cannot be read now' },
})
export interface OrderTimeline {
  readonly data: { readonly events: readonly TimelineEvent[] }
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
