import fc from 'fast-check'
import {
  bulkUpdate,
  find,
  findOneAndUpdate,
  id,
  ids,
  insert,
  instant,
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
    merchantId: fc.constantFrom('m', 'n'),
    status: deliveryStatus,
    url,
    nextAttemptAt: fc.oneof(instant, fc.constant(null)),
    attemptCount: small,
    roundStart: small,
    attempts: fc.array(attempt, { maxLength: 2 }),
    finishedAt: fc.oneof(instant, fc.constant(null)),
    claimedUntil: instant,
    resendUrl: url,
    lastResult: fc.constantFrom('200', 'timeout', null),
    channel: fc.constantFrom('payment', 'refund'),
    createdAt: instant,
  },
  { requiredKeys: ['_id', 'merchantId', 'status', 'attemptCount', 'attempts', 'claimedUntil', 'createdAt', 'roundStart'] },
)
const pushed = attempt.map((one) => ({ attempts: { $each: [one], $slice: -2 } }))
const isNext = fc.tuple(id, small).map(([_id, attemptCount]) => ({ _id, status: 'retrying', attemptCount }))
const newestFirst = { createdAt: -1, _id: -1 } as const

/** The records of deliveries in webhook-dispatcher. */
export const deliveries: Shape = {
  indexes: [
    { key: { merchantId: 1, createdAt: -1, _id: -1 }, name: 'of_merchant' },
    { key: { nextAttemptAt: 1 }, name: 'sweep', partialFilterExpression: { status: 'retrying' } },
  ],
  operation: fc.oneof(
    fc
      .uniqueArray(delivery, { minLength: 1, maxLength: 4, selector: ({ _id }) => _id })
      .map((documents) => insert(documents, false)),
    fc
      .tuple(isNext, instant, instant)
      .map(([next, now, claimedUntil]) =>
        findOneAndUpdate({ ...next, claimedUntil: { $lte: now } }, { $set: { claimedUntil } }, { returnDocument: 'after' }),
      ),
    fc
      .tuple(isNext, instant, pushed)
      .map(([next, claimedUntil, $push]) =>
        updateOne(
          { ...next, claimedUntil, resendUrl: null },
          { $set: { attemptCount: next.attemptCount + 1, status: 'delivered' }, $push },
        ),
      ),
    fc
      .tuple(id, small, pushed)
      .map(([_id, number, $push]) =>
        updateOne(
          { _id, status: { $in: ['retrying', 'dead'] }, resendUrl: null, roundStart: { $lt: number } },
          { $set: { status: 'delivered' }, $max: { attemptCount: number }, $push },
        ),
      ),
    fc.tuple(id, pushed).map(([_id, $push]) => updateOne({ _id }, { $set: { lastResult: '500' }, $push })),
    fc.tuple(isNext, url).map(([next, resendUrl]) => updateOne(next, { $set: { resendUrl } })),
    fc
      .tuple(ids)
      .map(([$in]) => find({ _id: { $in }, status: 'retrying' }, { projection: { attemptCount: 1, url: 1, nextAttemptAt: 1 } })),
    fc.tuple(instant, id).map(([at, before]) =>
      find(
        {
          $and: [
            { merchantId: 'm' },
            { createdAt: { $lte: at } },
            { $or: [{ createdAt: { $lt: at } }, { createdAt: at, _id: { $lt: before } }] },
          ],
        },
        { sort: newestFirst, limit: 2 },
      ),
    ),
    fc
      .tuple(instant, instant)
      .map(([before, now]) =>
        find(
          { status: 'retrying', nextAttemptAt: { $lte: before }, claimedUntil: { $lte: now } },
          { sort: { nextAttemptAt: 1, _id: 1 }, limit: 2 },
        ),
      ),
    fc.constant(find({ merchantId: 'm', channel: 'payment' }, { sort: { createdAt: 1, _id: 1 } })),
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
        queues.map(([_id, inUseAt]) => ({ filter: { _id }, update: { $set: { inUseAt, cutOffAt: null } }, upsert: true })),
        false,
      ),
    ),
    fc.tuple(id, instant).map(([_id, upTo]) => updateOne({ _id }, { $max: { upTo } }, true)),
    fc
      .tuple(id, instant)
      .map(([_id, receivedAt]) => updateOne({ _id }, { $setOnInsert: { reason: 'unreadable', receivedAt } }, true)),
    fc.tuple(id, instant).map(([_id, $gt]) => find({ _id, inUseAt: { $gt } }, { projection: { _id: 1 } })),
  ),
}

const copy: fc.Arbitrary<Stored> = fc.record({
  _id: id,
  position: fc.integer({ min: 1, max: 6 }),
  merchantId: fc.constantFrom('m', 'n'),
  writtenAt: instant,
})

/** The copies that listening merchants read. */
export const copies: Shape = {
  indexes: [
    { key: { position: 1 }, name: 'position', unique: true },
    { key: { merchantId: 1, position: 1 }, name: 'of_merchant' },
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
        find({ merchantId: 'm', writtenAt: { $gte } }, { projection: { position: 1 }, sort: { position: 1 }, limit: 1 }),
      ),
    fc
      .integer({ min: 0, max: 6 })
      .map(($gt) => find({ merchantId: 'm', position: { $gt } }, { batchSize: 2, sort: { position: 1 }, limit: 3 })),
    ids.map(($in) => find({ _id: { $in } }, { projection: { _id: 1 }, batchSize: $in.length + 1 })),
    fc
      .tuple(ids)
      .map(([$in]) => updateMany({ _id: { $in }, customerPurgedAt: { $exists: false } }, { $set: { customerPurgedAt: 1 } })),
  ),
}
