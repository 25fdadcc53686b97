import type { SourceChange } from '../hooks/install.ts'

/** A bug that the simulation must find, as a change of the services' source text. */
export interface Bug {
  readonly number: number
  readonly title: string
  readonly changes: readonly SourceChange[]
}

const bug = (number: number, title: string, file: string, from: string, to: string): Bug => ({
  number,
  title,
  changes: [{ file, from, to }],
})

export const BUGS: readonly Bug[] = [
  bug(
    ...([1, 'the event publisher takes an error for a success', 'packages/outbox/src/event-publisher.ts'] as const),
    'if (!failure) item.end(',
    'if (inFlight >= 0) item.end(',
  ),
  bug(
    ...([2, 'the publisher resolves on a failed publish', 'packages/messaging/src/publisher.ts'] as const),
    'else if (error) reject(toPublishError(error))',
    'else if (error) resolve(undefined)',
  ),
  bug(
    ...([3, 'a multiple acknowledgement skips an open tag', 'packages/messaging/src/acks.ts'] as const),
    'if (!acked) break',
    'if (!acked) continue',
  ),
  bug(
    ...([4, 'the consumer acknowledges every outcome', 'packages/messaging/src/consumer.ts'] as const),
    "if (outcome === 'ack') acks.ack(delivery)",
    'if (outcome) acks.ack(delivery)',
  ),
  bug(
    ...([5, 'clearing removes events that were not confirmed', 'packages/outbox/src/documents.ts'] as const),
    '{ $pull: { outbox: { id: { $in: published.map(({ entry }) => entry.id) } } } }',
    '{ $set: { outbox: [] } }',
  ),
  bug(
    ...([6, 'the sweep forgets that an event is maybe published', 'packages/outbox/src/sweep.ts'] as const),
    'events.add(_id, asMaybePublished(entry))',
    'events.add(_id, entry)',
  ),
  bug(
    ...([
      7,
      'a transaction is saved without its guard',
      'services/payment-status/src/payments/persistence/transaction-store.ts',
    ] as const),
    'const guard = { _id, version: before.version, status: before.status }',
    'const guard = { _id }',
  ),
  bug(
    ...([8, 'write concern 1', 'packages/service-kit/src/mongo/database.ts'] as const),
    "writeConcern: { w: 'majority', journal: true }",
    'writeConcern: { w: 1 }',
  ),
  bug(
    ...([9, 'a batch gives every caller the first result', 'packages/service-kit/src/scheduling/batcher.ts'] as const),
    'const result = results[index]',
    'const result = results[index - index]',
  ),
  bug(
    ...([10, 'redelivered is ignored', 'services/webhook-dispatcher/src/delivering/consumers/consumers.ts'] as const),
    'incoming.redelivered || incoming.headers',
    'incoming.headers',
  ),
  bug(
    ...([11, 'a claim has no end', 'services/webhook-dispatcher/src/delivering/use-cases/claims.ts'] as const),
    'new Date(from.getTime() + exchangeMs + marginMs)',
    'new Date(from.getTime() + (exchangeMs + marginMs) * 1e6)',
  ),
  bug(
    ...([
      12,
      'the sweep of overdue deliveries does not wait for its publish',
      'services/webhook-dispatcher/src/delivering/use-cases/sweep-overdue.ts',
    ] as const),
    'await retries.publishNow(delivery)',
    'void retries.publishNow(delivery)',
  ),
  bug(
    ...([
      13,
      'an unclear enquiry counts as "no payments"',
      'services/payment-status/src/enquiries/clients/network-connector.ts',
    ] as const),
    "if ('error' in fields) return { kind: 'unclear', why: fields.error }",
    "if ('error' in fields) return { kind: 'known', payments: [] }",
  ),
  bug(
    ...([14, 'no enquiry after the end', 'services/payment-status/src/payments/domain/schedule.ts'] as const),
    'return delay === undefined ? null',
    'return delay !== Infinity ? null',
  ),
  bug(
    ...([
      15,
      "the reversal's idempotency key changes with each try",
      'services/payment-status/src/enquiries/clients/network-connector.ts',
    ] as const),
    "{ 'idempotency-key': reversalKey(body) }",
    "{ 'idempotency-key': `${reversalKey(body)}-${Date.now()}` }",
  ),
  bug(
    ...([16, 'read concern `local` on a replica set', 'packages/service-kit/src/mongo/database.ts'] as const),
    "readConcern: { level: 'majority' }",
    "readConcern: { level: 'local' }",
  ),
  bug(
    ...([
      17,
      'a callback is answered before it is recorded',
      'services/payment-status/src/callbacks/http/callback-route.ts',
    ] as const),
    'body: { status: await record(body) }',
    "body: { status: (record(body).catch(() => ''), 'recorded') }",
  ),
  bug(
    ...([18, 'a bulk insert without the check of its write concern', 'packages/service-kit/src/mongo/commands.ts'] as const),
    '|| error.result.getWriteConcernError()) throw',
    ') throw',
  ),
]

export function findBug(number: number): Bug {
  const found = BUGS.find((one) => one.number === number)
  if (!found) throw new Error(`there is no bug ${number}`)
  return found
}
