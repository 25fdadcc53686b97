import type { SourceChange } from '../hooks/install.ts'

/** A bug that the simulation must find, as a change of the services' source text. */
export interface Bug extends SourceChange {
  /** From 1, by which `--bugs` names it. */
  readonly number: number
  readonly title: string
}

const CHANGES: readonly Omit<Bug, 'number'>[] = [
  {
    title: 'the event publisher takes an error for a success',
    file: 'packages/outbox/src/event-publisher.ts',
    from: 'if (!failure) item.end(',
    to: 'if (this.#inFlight >= 0) item.end(',
  },
  {
    title: 'the publisher resolves on a failed publish',
    file: 'packages/messaging/src/publisher.ts',
    from: 'else if (error) reject(toPublishError(error))',
    to: 'else if (error) resolve(undefined)',
  },
  {
    title: 'a multiple acknowledgement skips an open tag',
    file: 'packages/messaging/src/acks.ts',
    from: 'if (!acked) break',
    to: 'if (!acked) continue',
  },
  {
    title: 'the consumer acknowledges every outcome',
    file: 'packages/messaging/src/consumer.ts',
    from: "if (outcome === 'ack') acks.ack(delivery)",
    to: 'if (outcome) acks.ack(delivery)',
  },
  {
    title: 'clearing removes events that were not confirmed',
    file: 'packages/outbox/src/documents.ts',
    from: '{ $pull: { outbox: { id: { $in: eventIds } } } }',
    to: '{ $set: { outbox: [] } }',
  },
  {
    title: 'the sweep forgets that an event is maybe published',
    file: 'packages/outbox/src/sweep.ts',
    from: 'events.add(_id, asMaybePublished(entry))',
    to: 'events.add(_id, entry)',
  },
  {
    title: 'a transaction is saved without its guard',
    file: 'services/payment-status/src/payments/persistence/transaction-store.ts',
    from: 'const guard = { _id, slot, version: before.version, status: before.status }',
    to: 'const guard = { _id, slot }',
  },
  {
    title: 'write concern 1',
    file: 'packages/service-kit/src/mongo/database.ts',
    from: "writeConcern: { w: 'majority', journal: true }",
    to: 'writeConcern: { w: 1 }',
  },
  {
    title: 'a batch gives every caller the first result',
    file: 'packages/service-kit/src/scheduling/batcher.ts',
    from: 'const result = results[index]',
    to: 'const result = results[index - index]',
  },
  {
    title: 'redelivered is ignored',
    file: 'services/webhook-dispatcher/src/delivering/consumers/consumers.ts',
    from: 'incoming.redelivered || incoming.headers',
    to: 'incoming.headers',
  },
  {
    title: 'a claim has no end',
    file: 'services/webhook-dispatcher/src/delivering/use-cases/claims.ts',
    from: 'new Date(from.getTime() + exchangeMs + marginMs)',
    to: 'new Date(from.getTime() + (exchangeMs + marginMs) * 1e6)',
  },
  {
    title: 'the sweep of overdue deliveries does not wait for its publish',
    file: 'services/webhook-dispatcher/src/delivering/use-cases/sweep-overdue.ts',
    from: 'await retries.publishNow(delivery)',
    to: 'void retries.publishNow(delivery)',
  },
  {
    title: 'an unclear enquiry counts as "no payments"',
    file: 'services/payment-status/src/enquiries/clients/network-connector.ts',
    from: "if ('error' in fields) return { kind: 'unclear', why: fields.error }",
    to: "if ('error' in fields) return { kind: 'known', payments: [] }",
  },
  {
    title: 'no enquiry after the end',
    file: 'services/payment-status/src/payments/domain/schedule.ts',
    from: 'return delay === undefined ? null',
    to: 'return delay !== Infinity ? null',
  },
  {
    title: "the reversal's idempotency key changes with each try",
    file: 'services/payment-status/src/enquiries/clients/network-connector.ts',
    from: "{ 'idempotency-key': reversalKey(body) }",
    to: "{ 'idempotency-key': `${reversalKey(body)}-${Date.now()}` }",
  },
  {
    title: 'read concern `local` on a replica set',
    file: 'packages/service-kit/src/mongo/database.ts',
    from: "readConcern: { level: 'majority' }",
    to: "readConcern: { level: 'local' }",
  },
  {
    title: 'a callback is answered before it is recorded',
    file: 'services/payment-status/src/callbacks/http/callback-route.ts',
    from: 'body: { status: await record(body) }',
    to: "body: { status: (record(body).catch(() => ''), 'recorded') }",
  },
  {
    title: 'a bulk insert without the check of its write concern',
    file: 'packages/service-kit/src/mongo/commands.ts',
    from: '|| error.result.getWriteConcernError()) throw',
    to: ') throw',
  },
  {
    title: 'a delivery is stored with the slot of another order',
    file: 'services/webhook-dispatcher/src/deliveries/persistence/delivery-document.ts',
    from: 'slot: ownSlotOf(id),',
    to: 'slot: (ownSlotOf(id) + 1) % 1024,',
  },
  {
    title: 'a search names no slot',
    file: 'services/payment-status/src/payments/persistence/transaction-store.ts',
    from: 'return { slot: only.slot, [key]: only.value }',
    to: 'return { [key]: only.value }',
  },
  {
    title: 'the partitions from the third on have no consumer',
    file: 'packages/messaging/src/partition-consumers.ts',
    from: 'Array.from({ length: partitions }, (_, partition)',
    to: 'Array.from({ length: Math.min(partitions, 2) }, (_, partition)',
  },
  {
    title: 'a partition is deleted before its last handler has ended',
    file: 'packages/partitions/src/operate.ts',
    from: 'return (await stillConsuming(partitions)) ?? deleteUnused(left, admin)',
    to: 'return Promise.all(left.map(({ name }) => admin.remove(name))).then(() => undefined)',
  },
]

export const BUGS: readonly Bug[] = CHANGES.map((bug, index) => ({ number: index + 1, ...bug }))

export function findBug(number: number): Bug {
  const found = BUGS.find((one) => one.number === number)
  if (!found) throw new Error(`there is no bug ${number}`)
  return found
}
