import fc from 'fast-check'
import {
  bulkUpdate,
  find,
  findOneAndUpdate,
  id,
  ids,
  insert,
  instant,
  remove,
  small,
  updateMany,
  updateOne,
  type Shape,
  type Stored,
} from './operations.ts'

const attempt = fc.record({ number: small, at: instant, error: fc.constantFrom(null, 'timeout') })
const url = fc.constantFrom('https://a.example/x', 'https://b.example/(y)', null)
const deliveryStatus = fc.constantFrom('retrying', 'delivered', 'dead')
const delivery: fc.Arbitrary<Stored> = fc.record(
  {
    _id: id,
    merchant_id: fc.constantFrom('m', 'n'),
    status: deliveryStatus,
    url,
    next_attempt_at: fc.oneof(instant, fc.constant(null)),
    attempt_count: small,
    round_start: small,
    attempts: fc.array(attempt, { maxLength: 2 }),
    finished_at: fc.oneof(instant, fc.constant(null)),
    claimed_until: instant,
    resend_url: url,
    last_result: fc.constantFrom('200', 'timeout', null),
    channel: fc.constantFrom('payment', 'refund'),
    created_at: instant,
  },
  { requiredKeys: ['_id', 'merchant_id', 'status', 'attempt_count', 'attempts', 'claimed_until', 'created_at', 'round_start'] },
)
const pushed = attempt.map((one) => ({ attempts: { $each: [one], $slice: -2 } }))
const isNext = fc.tuple(id, small).map(([_id, attempt_count]) => ({ _id, status: 'retrying', attempt_count }))
const newestFirst = { created_at: -1, _id: -1 } as const

/** The records of deliveries in webhook-dispatcher. */
export const deliveries: Shape = {
  indexes: [
    { key: { merchant_id: 1, created_at: -1, _id: -1 }, name: 'of_merchant' },
    { key: { next_attempt_at: 1 }, name: 'sweep', partialFilterExpression: { status: 'retrying' } },
  ],
  operation: fc.oneof(
    fc
      .uniqueArray(delivery, { minLength: 1, maxLength: 4, selector: ({ _id }) => _id })
      .map((documents) => insert(documents, false)),
    fc
      .tuple(isNext, instant, instant)
      .map(([next, now, claimed_until]) =>
        findOneAndUpdate({ ...next, claimed_until: { $lte: now } }, { $set: { claimed_until } }, { returnDocument: 'after' }),
      ),
    fc
      .tuple(isNext, instant, pushed)
      .map(([next, claimed_until, $push]) =>
        updateOne(
          { ...next, claimed_until, resend_url: null },
          { $set: { attempt_count: next.attempt_count + 1, status: 'delivered' }, $push },
        ),
      ),
    fc
      .tuple(id, small, pushed)
      .map(([_id, number, $push]) =>
        updateOne(
          { _id, status: { $in: ['retrying', 'dead'] }, resend_url: null, round_start: { $lt: number } },
          { $set: { status: 'delivered' }, $max: { attempt_count: number }, $push },
        ),
      ),
    fc.tuple(id, pushed).map(([_id, $push]) => updateOne({ _id }, { $set: { last_result: '500' }, $push })),
    fc.tuple(isNext, url).map(([next, resend_url]) => updateOne(next, { $set: { resend_url } })),
    fc
      .tuple(ids)
      .map(([$in]) =>
        find({ _id: { $in }, status: 'retrying' }, { projection: { attempt_count: 1, url: 1, next_attempt_at: 1 } }),
      ),
    fc.tuple(instant, id).map(([at, before]) =>
      find(
        {
          $and: [
            { merchant_id: 'm' },
            { created_at: { $lte: at } },
            { $or: [{ created_at: { $lt: at } }, { created_at: at, _id: { $lt: before } }] },
          ],
        },
        { sort: newestFirst, limit: 2 },
      ),
    ),
    fc
      .tuple(instant, instant)
      .map(([before, now]) =>
        find(
          { status: 'retrying', next_attempt_at: { $lte: before }, claimed_until: { $lte: now } },
          { sort: { next_attempt_at: 1, _id: 1 }, limit: 2 },
        ),
      ),
    fc.constant(find({ merchant_id: 'm', channel: 'payment' }, { sort: { created_at: 1, _id: 1 } })),
    fc.tuple(id, id).map(([$gte, $lt]) => find({ _id: { $gte, $lt } }, { sort: { _id: 1 }, limit: 2 })),
  ),
}

const registration = fc.record({ url: fc.constantFrom('u', 'v'), since: instant })
const secret = fc.record({ sealed: fc.constantFrom('s1', 's2', 's3') })
const health = fc.record({ url: fc.constantFrom('u', 'v'), disabled: fc.oneof(fc.record({ at: instant }), fc.constant(null)) })
const endpoint: fc.Arbitrary<Stored> = fc.record({
  _id: id,
  registrations: fc.array(registration, { maxLength: 2 }),
  secrets: fc.array(secret, { maxLength: 3 }),
  health: fc.array(health, { maxLength: 2 }),
  version: small,
})

/** The endpoints of webhook-dispatcher, its wait queues, and the progress of order-api's purge. */
export const endpoints: Shape = {
  indexes: [{ key: { 'health.disabled.at': 1 }, name: 'disabled' }],
  operation: fc.oneof(
    endpoint.map((document) => insert([document], true)),
    fc
      .tuple(endpoint, small)
      .map(([{ _id, ...fields }, version]) => updateOne({ _id, version }, { $set: { ...fields, version: version + 1 } })),
    fc
      .tuple(id, fc.constantFrom('s1', 's2'))
      .map(([_id, sealed]) => updateOne({ _id, secrets: { $elemMatch: { sealed } } }, { $inc: { version: 1 } })),
    fc
      .tuple(instant, id)
      .map(([at, $gt]) => find({ 'health.disabled.at': { $gt: at }, _id: { $gt } }, { sort: { _id: 1 }, limit: 2 })),
    fc.uniqueArray(fc.tuple(id, instant), { minLength: 1, maxLength: 3, selector: ([_id]) => _id }).map((queues) =>
      bulkUpdate(
        queues.map(([_id, in_use_at]) => ({ filter: { _id }, update: { $set: { in_use_at, cut_off_at: null } }, upsert: true })),
        false,
      ),
    ),
    fc.tuple(id, instant).map(([_id, up_to]) => updateOne({ _id }, { $max: { up_to } }, true)),
    fc
      .tuple(id, instant)
      .map(([_id, received_at]) => updateOne({ _id }, { $setOnInsert: { reason: 'unreadable', received_at } }, true)),
    fc.tuple(id, instant).map(([_id, $gt]) => find({ _id, in_use_at: { $gt } }, { projection: { _id: 1 } })),
    id.map((_id) => remove({ _id }, false)),
    instant.map(($lt) => remove({ in_use_at: { $lt } }, true)),
  ),
}

const copy: fc.Arbitrary<Stored> = fc.record({
  _id: id,
  position: fc.integer({ min: 1, max: 6 }),
  merchant_id: fc.constantFrom('m', 'n'),
  written_at: instant,
})

/** The copies that listening merchants read. */
export const copies: Shape = {
  indexes: [
    { key: { position: 1 }, name: 'position', unique: true },
    { key: { merchant_id: 1, position: 1 }, name: 'of_merchant' },
  ],
  operation: fc.oneof(
    fc
      .tuple(fc.array(copy, { minLength: 1, maxLength: 4 }), fc.boolean())
      .map(([documents, ordered]) => insert(documents, ordered)),
    fc
      .integer({ min: 0, max: 6 })
      .map(($gte) => find({ position: { $gte } }, { projection: { position: 1 }, sort: { position: -1 }, limit: 1 })),
    fc
      .tuple(instant)
      .map(([$gte]) =>
        find({ merchant_id: 'm', written_at: { $gte } }, { projection: { position: 1 }, sort: { position: 1 }, limit: 1 }),
      ),
    fc
      .integer({ min: 0, max: 6 })
      .map(($gt) => find({ merchant_id: 'm', position: { $gt } }, { batchSize: 2, sort: { position: 1 }, limit: 3 })),
    ids.map(($in) => find({ _id: { $in } }, { projection: { _id: 1 }, batchSize: $in.length + 1 })),
    fc
      .tuple(ids)
      .map(([$in]) => updateMany({ _id: { $in }, customer_purged_at: { $exists: false } }, { $set: { customer_purged_at: 1 } })),
  ),
}
