import { inTimelineOrder, timelinePart, type TimelineEvent } from './timeline.ts'

const noon = '2026-01-01T12:00:00.000Z'
const later = '2026-01-01T12:00:01.000Z'
const event = (kind: string, at = noon, sequence: number | null = null): TimelineEvent => ({
  at,
  kind,
  source: 'payments',
  sequence,
  detail: {},
})

test('events are sorted by time; at the same time the cause comes before its effect', () => {
  const caused = [
    event('order.created'),
    event('attempt.started'),
    event('enquiry.answered'),
    event('report.received'),
    event('attempt.succeeded'),
    event('status.changed', noon, 1),
    event('status.changed', noon, 2),
    event('reversal.requested'),
    event('refund.requested'),
    event('webhook.attempt'),
    event('order.created', later),
  ]
  expect(inTimelineOrder(caused.toReversed())).toEqual(caused)
})

test('a part of another service may have fields that this release does not know', () => {
  const part = { transaction_id: 'T1', events: [{ ...event('status.changed'), colour: 'red' }], more: 1 }
  expect(timelinePart(part)).toBe(true)
  expect(timelinePart({ ...part, events: [{ ...event('x'), source: 'elsewhere' }] })).toBe(false)
})
