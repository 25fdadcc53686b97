import fc from 'fast-check'
import {
  bulkUpdate,
  count,
  find,
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

const entry = fc.record({ id: fc.constantFrom('e1', 'e2', 'e3'), at: instant, body: fc.constant('{}') })
const outbox = fc.array(entry, { maxLength: 2 })
const transition = fc.record({ sequence: small, at: instant })
const status = fc.constantFrom('Initiate', 'Pending', 'Success')

const transaction: fc.Arbitrary<Stored> = fc.record(
  {
    _id: id,
    order_key: fc.constantFrom('m:1', 'm:2', 'm:3'),
    order: fc.record({
      merchant: fc.record({ id: fc.constant('m') }),
      amount_paise: small,
      methods: fc.uniqueArray(fc.constantFrom('CARD', 'UPI')),
    }),
    status,
    version: small,
    due_at: instant,
    waits_since: instant,
    rrn: fc.constantFrom(null, 'r'),
    outbox,
    transitions: fc.array(transition, { maxLength: 2 }),
    reversals: fc.array(fc.record({ status: fc.constantFrom('pending', 'done') }), { maxLength: 2 }),
  },
  { requiredKeys: ['_id', 'order_key', 'status', 'version', 'outbox', 'order'] },
)
const dueBy = instant.map((at) => ({ due_at: { $exists: true, $lte: at } }))

/** The collection of transactions in payment-status; the outbox is that of every service. */
export const transactions: Shape = {
  indexes: [
    { key: { order_key: 1 }, name: 'order_key', unique: true },
    { key: { due_at: 1 }, name: 'due_at', partialFilterExpression: { due_at: { $exists: true } } },
    { key: { 'outbox.at': 1 }, name: 'outbox_at', partialFilterExpression: { 'outbox.at': { $exists: true } } },
  ],
  operation: fc.oneof(
    fc
      .uniqueArray(transaction, { minLength: 1, maxLength: 4, selector: ({ _id }) => _id })
      .map((documents) => insert(documents, false)),
    fc
      .tuple(id, small, status, transaction, outbox, fc.array(transition, { maxLength: 1 }))
      .map(([_id, version, before, after, each, moves]) => {
        const { _id: _other, outbox: _outbox, transitions: _transitions, order_key: _key, due_at, ...fields } = after
        const $push = { outbox: { $each: each }, transitions: { $each: moves } }
        const due = due_at ? { $set: { ...fields, due_at } } : { $set: fields, $unset: { due_at: '' } }
        return updateOne({ _id, version, status: before }, { ...due, ...(each.length > 0 && { $push }) })
      }),
    fc
      .tuple(ids, dueBy, instant)
      .map(([$in, due, due_at]) => updateMany({ _id: { $in }, ...due }, { $set: { due_at, claim: 'c' } })),
    fc
      .tuple(ids, fc.uniqueArray(fc.constantFrom('e1', 'e2', 'e3'), { minLength: 1 }))
      .map(([$in, events]) => updateMany({ _id: { $in } }, { $pull: { outbox: { id: { $in: events } } } })),
    fc.array(fc.tuple(id, entry), { minLength: 1, maxLength: 3 }).map((events) =>
      bulkUpdate(
        events.map(([_id, added]) => ({
          filter: { _id, 'outbox.id': { $ne: added.id } },
          update: { $push: { outbox: { ...added, maybe_published: true } } },
        })),
        true,
      ),
    ),
    fc
      .tuple(instant, ids)
      .map(([$lte, $nin]) => find({ 'outbox.at': { $exists: true, $lte }, _id: { $nin } }, { projection: { outbox: 1 } })),
    dueBy.map((due) => find(due, { projection: { _id: 1 }, sort: { due_at: 1, _id: 1 }, limit: 2 })),
    ids.map(($in) => find({ _id: { $in } }, { projection: { outbox: 0, transitions: 0, claim: 0 } })),
    ids.map(($in) =>
      find({ _id: { $in } }, { projection: { 'order.merchant.id': 1, 'outbox.id': 1, 'transitions.at': 1, status: 1 } }),
    ),
    fc.tuple(id, id).map(([$gte, $lt]) => find({ _id: { $gte, $lt } }, { sort: { _id: 1 }, limit: 3 })),
    fc
      .constantFrom('m:1', 'm:2')
      .map((order_key) => find({ order_key }, { projection: { outbox: 0, _id: 0 }, limit: 1, sort: { order_key: 1 } })),
    ids.map(($in) =>
      find({ _id: { $in }, 'order.methods': 'UPI' }, { projection: { 'order.amount_paise': 0, 'outbox.body': 0 } }),
    ),
    fc.constant(find({ 'order.methods': { $in: ['CARD'] } })),
    fc.constant(count({ 'outbox.at': { $exists: true } }, { limit: 3 })),
    fc.constant(count({ 'outbox.at': { $exists: true }, 'outbox.maybe_published': true })),
    instant.map(($lte) => count({ waits_since: { $exists: true, $lte }, 'reversals.status': 'pending' })),
    instant.map(($lte) => count({ waits_since: { $exists: true, $lte }, status: { $in: ['Initiate', 'Pending'] } })),
  ),
}
