import type { mongo } from 'mongoose'
import { retryPauseMs, type ImportFailure } from '../domain/import-retry.ts'
import type { FileDocument } from './documents.ts'

type Progress = Pick<FileDocument, 'imported' | 'settled_until'>

/** The claims of settlement files: one replica at a time imports one file. */
export interface FileClaims {
  /**
   * Claims the oldest file that is not imported and whose pause after failed attempts is over; `busy` while another replica
   * imports a file. The claim counts the attempt, so an attempt that ends with its process counts, too.
   */
  readonly claimNext: (claim: string, now: Date, until: Date) => Promise<FileDocument | 'busy' | undefined>
  /** False when the claim was lost. */
  readonly saveProgress: (id: string, claim: string, progress: Progress, until: Date) => Promise<boolean>
  readonly finish: (id: string, claim: string, result: ImportResult, now: Date) => Promise<void>
  /** Gives an unfinished file back without a failure. */
  readonly release: (id: string, claim: string) => Promise<void>
  /** Records a failed attempt. Resolves to the number of attempts and the time of the next one; `undefined` when the claim was lost. */
  readonly fail: (id: string, claim: string, failure: ImportFailure) => Promise<{ attempts: number; retryAt: Date } | undefined>
}

export interface ImportResult {
  readonly found: Record<string, number>
  /** True when the missing entries of the file are named later. */
  readonly owesMissing: boolean
}

const NEVER = new Date(0)
/** The reason of an attempt that recorded neither a result nor a failure. */
const CUT_OFF = 'the attempt was cut off: its replica ended, or lost the database'

/** @param removeBytes removes the chunks of an upload */
export function mongoFileClaims(
  files: mongo.Collection<FileDocument>,
  removeBytes: (upload: string) => Promise<void>,
): FileClaims {
  return {
    async claimNext(claim, now, until) {
      const isBusy = { state: 'received', claimed_until: { $gt: now }, claim: { $ne: claim } } as const
      if (await files.findOne(isBusy)) return 'busy'
      const due = { state: 'received' as const, $or: [{ retry_at: { $exists: false } }, { retry_at: { $lte: now } }] }
      const [oldest] = await files.find(due).sort({ received_at: 1 }).limit(1).toArray()
      if (!oldest) return undefined
      const unchanged = { _id: oldest._id, state: 'received' as const, attempts: oldest.attempts ?? { $exists: false } }
      const free = { ...unchanged, $or: [{ claimed_until: { $lte: now } }, { claim }] }
      const $set = { claim, claimed_until: until, ...nextAttempt(oldest, now, until) }
      return (await files.findOneAndUpdate(free, { $set }, { returnDocument: 'after' })) ?? 'busy'
    },
    async saveProgress(id, claim, progress, until) {
      const $set = { ...progress, claimed_until: until, attempts: 1, retry_at: NEVER }
      const { matchedCount } = await files.updateOne({ _id: id, claim }, { $set })
      return matchedCount === 1
    },
    async finish(id, claim, { found, owesMissing }, now) {
      const file = await files.findOne({ _id: id, claim })
      // Remove the bytes first: after a crash here, the next import of this file reads nothing and finishes.
      if (file) await removeBytes(file.upload)
      const $set = { state: 'imported', imported_at: now, found, ...(owesMissing ? { owes_missing: true } : {}) } as const
      await files.updateOne({ _id: id, claim }, { $set, $unset: { failure: '', retry_at: '' } })
    },
    async release(id, claim) {
      await files.updateOne({ _id: id, claim }, { $set: { claimed_until: NEVER, attempts: 0, retry_at: NEVER } })
    },
    async fail(id, claim, failure) {
      const file = await files.findOne({ _id: id, claim })
      if (!file) return undefined
      const attempts = file.attempts ?? 1
      const retryAt = new Date(failure.at.getTime() + retryPauseMs(attempts))
      await files.updateOne({ _id: id, claim }, { $set: { failure, retry_at: retryAt, claimed_until: NEVER } })
      return { attempts, retryAt }
    },
  }
}

/** The fields of a file whose next attempt begins. Its pause begins at the end of the lease, in case the replica dies during the attempt. */
function nextAttempt({ attempts: before = 0, claimed_until: previous }: FileDocument, now: Date, until: Date) {
  const attempts = before + 1
  const pauseMs = retryPauseMs(attempts)
  return {
    attempts,
    retry_at: pauseMs === 0 ? NEVER : new Date(until.getTime() + pauseMs),
    ...(previous > NEVER ? { failure: { at: now, reason: CUT_OFF } } : {}),
  }
}
