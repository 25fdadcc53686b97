import { randomBytes } from 'node:crypto'
import { filterByIds, PRESENT, type CheckSlot } from '@gateway/service-kit/mongo'
import { draw, firstRange, nextLook, rangeAfter } from '../domain/claim-range.ts'
import type { Transaction } from '../domain/transaction.ts'
import { NOT_THE_STATE, toTransaction, type TransactionDocument, type TransactionModel } from './transaction-document.ts'

/** What one look has claimed. */
export interface Claimed {
  readonly transactions: readonly Transaction[]
  /** Whether another look may find more now, even if other replicas took everything that this one found. */
  readonly more: boolean
}

/** Leases up to `limit` due transactions of those that have been due for longest; no replica gets them again before the lease ends. */
export type ClaimDue = (now: Date, leaseMs: number, limit: number) => Promise<Claimed>

const CLAIM_FIELDS = { due_at: 'claim', refunds_due_at: 'refunds_claim' } as const

interface Parts {
  readonly model: TransactionModel
  /** Told of every transaction that was found. */
  readonly checkSlot: CheckSlot
  readonly random?: () => number
}

interface Found {
  readonly _id: string
  readonly slot: number
}

/** Claims what is due by this field. It looks within a range of slots, which follows from what its claims lost to other replicas. */
export function makeClaimDue(dueField: keyof typeof CLAIM_FIELDS, { model, checkSlot, random = Math.random }: Parts): ClaimDue {
  let range = firstRange(random)

  /** Resolves to those that are still due. Each transaction belongs to the replica whose random claim it carries. */
  async function lease(drawn: readonly Found[], due: object, until: Date): Promise<TransactionDocument[]> {
    if (drawn.length === 0) return []
    const ids = filterByIds(drawn)
    const claim = { [CLAIM_FIELDS[dueField]]: randomBytes(9).toString('base64url') }
    const { modifiedCount } = await model.updateMany({ ...ids, ...due }, { $set: { [dueField]: until, ...claim } })
    return modifiedCount === 0 ? [] : model.find({ ...ids, ...claim }, NOT_THE_STATE).lean<TransactionDocument[]>()
  }

  return async (now, leaseMs, limit) => {
    const due = { [dueField]: { ...PRESENT, $lte: now } }
    const { slots, maxFound } = nextLook(range, limit)
    const found = await model
      .find({ ...due, ...(slots && { slot: slots }) }, { slot: 1 })
      .sort({ [dueField]: 1 })
      .limit(maxFound)
      // In one batch: otherwise the driver asks for the rest after 101 of them.
      .batchSize(maxFound + 1)
      .lean()
    for (const { _id, slot } of found) checkSlot(_id, slot)
    const drawn = draw(found, limit, random)
    const claimed = await lease(drawn, due, new Date(now.getTime() + leaseMs))
    range = rangeAfter(range, { found: found.length, lost: drawn.length - claimed.length, limit }, random)
    return { transactions: claimed.map(toTransaction), more: found.length >= limit || slots !== undefined }
  }
}
