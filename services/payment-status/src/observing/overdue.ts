import type { QueryFilter } from 'mongoose'
import { PRESENT } from '@gateway/service-kit/mongo'
import { REFUND_OVERDUE_MS } from '../refunds/index.ts'
import { dueTomorrowSince, type TransactionDocument, type TransactionModel } from '../payments/index.ts'

/** Counts the transactions that have waited for the network for too long at `now`, each up to `LIMIT`; the gauges say which. */
export type CountOverdue = (
  now: Date,
) => Promise<Readonly<Record<'enquiries' | 'reversals' | 'reversalsDue' | 'refunds', number>>>

/** From this age on a missing answer about an ended order or a reversal is shown to operators, in milliseconds. */
const OVERDUE_AFTER_MS = 10 * 60_000

const LIMIT = 1000
const MAX_TIME_MS = 1000

export function mongoCountOverdue(model: TransactionModel): CountOverdue {
  const count = (filter: QueryFilter<TransactionDocument>): Promise<number> =>
    model.countDocuments(filter, { limit: LIMIT, maxTimeMS: MAX_TIME_MS }).exec()
  return async (now) => {
    const waitingSince = ($lte: Date) => ({ waits_since: { ...PRESENT, $lte } })
    const waiting = waitingSince(new Date(now.getTime() - OVERDUE_AFTER_MS))
    const requested = { $lte: dueTomorrowSince(now) }
    const refunded = { $lte: new Date(now.getTime() - REFUND_OVERDUE_MS) }
    const [enquiries, reversals, reversalsDue, refunds] = await Promise.all([
      count({ ...waiting, status: { $in: ['Initiate', 'Pending'] } }),
      count({ ...waiting, 'reversals.status': 'pending' }),
      count({ ...waitingSince(requested.$lte), reversals: { $elemMatch: { status: 'pending', requested_at: requested } } }),
      count({
        refunds_due_at: PRESENT,
        'refunds.created_at': refunded,
        refunds: { $elemMatch: { status: 'pending', created_at: refunded } },
      }),
    ])
    return { enquiries, reversals, reversalsDue, refunds }
  }
}

/** When the longest waiting due transaction or refund became due; `undefined` when none waits for a replica. */
export type FindOldestDue = (now: Date) => Promise<Date | undefined>

export function mongoFindOldestDue(model: TransactionModel): FindOldestDue {
  async function oldest(field: 'due_at' | 'refunds_due_at', now: Date): Promise<Date[]> {
    const due = { [field]: { ...PRESENT, $lte: now } }
    const found = await model
      .findOne(due, { due_at: 1, refunds_due_at: 1 })
      .sort({ [field]: 1 })
      .maxTimeMS(MAX_TIME_MS)
      .lean()
    const dueAt = found?.[field]
    return dueAt ? [dueAt] : []
  }
  return async (now) => {
    const both = await Promise.all([oldest('due_at', now), oldest('refunds_due_at', now)])
    return both.flat().toSorted((one, other) => one.getTime() - other.getTime())[0]
  }
}
