import type { Connection, mongo } from 'mongoose'
import { driverCollection, PRESENT } from '@gateway/service-kit/mongo'
import { insertAbsent } from '../../common/index.ts'
import { retryPauseMs, type ImportFailure } from '../domain/import-retry.ts'
import { mongoSettlementChunks } from './settlement-chunks.ts'

/** `_id` is the SHA-256 of the bytes in hexadecimal. */
export interface FileDocument {
  readonly _id: string
  /** The chunks with its bytes have the ids `<upload>:<number>`. */
  readonly upload: string
  readonly bytes: number
  /** Lines below the names of the columns. */
  readonly lines: number
  readonly state: 'received' | 'imported'
  readonly received_at: Date
  readonly received_by: string
  readonly imported_at: Date | null
  /** Lines that were imported. */
  readonly imported: number
  /** The latest day of its readable lines. */
  readonly settled_until: string | null
  /** Differences by class; `null` until the file is imported. */
  readonly found: Readonly<Record<string, number>> | null
  /** The replica that imports it. No other replica may until `claimed_until`. */
  readonly claim?: string
  /** 1970 while no attempt runs. */
  readonly claimed_until: Date
  /** Attempts since the import last made progress, including a running one. Absent before the first attempt. */
  readonly attempts?: number
  /** No attempt before this time; later files are imported meanwhile. */
  readonly retry_at?: Date
  /** Why the latest attempt failed; absent once the file is imported. */
  readonly failure?: ImportFailure
  /** True while its missing entries are not reported, because another file fails. */
  readonly owes_missing?: boolean
}

type NewFile = Pick<FileDocument, '_id' | 'upload' | 'bytes' | 'lines' | 'received_at' | 'received_by'>

/** Where a page of files ended. */
export interface FilePosition {
  readonly receivedAt: Date
  readonly id: string
}

/** Files read at once. */
const SOME = 100
const NEVER = new Date(0)

export type SettlementFiles = ReturnType<typeof mongoSettlementFiles>

/** The settlement files, and their bytes until they are imported. */
export function mongoSettlementFiles(connection: Connection) {
  const files = driverCollection<FileDocument>(connection, 'settlement_files')
  const chunks = mongoSettlementChunks(connection, async (upload) => (await files.findOne({ upload })) !== null)
  return {
    ...chunks,
    ...claimsOf(files, chunks.removeChunks),
    /** Resolves to the stored file: this one, or the one with the same bytes. */
    async add(file: NewFile): Promise<FileDocument> {
      const fields = { state: 'received', imported_at: null, imported: 0, settled_until: null, found: null } as const
      const document: FileDocument = { ...file, ...fields, claimed_until: NEVER }
      const [existing] = await insertAbsent(files, [document])
      if (!existing) return document
      await chunks.abandon(file.upload)
      return (await files.findOne({ _id: file._id })) ?? document
    },
    find: (id: string): Promise<FileDocument | null> => files.findOne({ _id: id }),
    /** Newest first, those before a position. A few files a day are stored, so the database may sort all of them. */
    page(before: FilePosition | undefined, limit: number): Promise<FileDocument[]> {
      const older = before && [
        { received_at: { $lt: before.receivedAt } },
        { received_at: before.receivedAt, _id: { $lt: before.id } },
      ]
      return files
        .find(older ? { $or: older } : {})
        .sort({ received_at: -1, _id: -1 })
        .limit(limit)
        .toArray()
    },
    /** The time of the latest import; `undefined` before the first one. */
    async lastImportAt(): Promise<Date | undefined> {
      const [last] = await files.find({ state: 'imported' }).sort({ imported_at: -1 }).limit(1).toArray()
      return last?.imported_at ?? undefined
    },
    /** The files whose latest attempt failed, apart from one. */
    countFailing: (except = ''): Promise<number> =>
      files.countDocuments({ state: 'received', failure: PRESENT, _id: { $ne: except } }),
    /** Some imported files whose missing entries are not reported yet, the oldest first. */
    owing: (): Promise<FileDocument[]> => files.find({ owes_missing: true }).sort({ received_at: 1 }).limit(SOME).toArray(),
    /** Notes that the missing entries of a file are reported, and stores how many differences of each class it has. */
    async noteNamed(id: string, found: Record<string, number>): Promise<void> {
      await files.updateOne({ _id: id }, { $set: { found }, $unset: { owes_missing: '' } })
    },
  }
}

/** The reason of an attempt that recorded neither a result nor a failure. */
const CUT_OFF = 'the attempt was cut off: its replica ended, or lost the database'

/** The claims of settlement files: one replica at a time imports one file. */
function claimsOf(files: mongo.Collection<FileDocument>, removeChunks: (upload: string) => Promise<void>) {
  return {
    /**
     * Claims the oldest file that is not imported and whose pause after failed attempts is over; `busy` while another replica
     * imports a file. The claim counts the attempt, so an attempt that ends with its process counts, too.
     */
    async claimNext(claim: string, now: Date, until: Date): Promise<FileDocument | 'busy' | undefined> {
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
    /** False when the claim was lost. */
    async saveProgress(
      id: string,
      claim: string,
      progress: Pick<FileDocument, 'imported' | 'settled_until'>,
      until: Date,
    ): Promise<boolean> {
      const $set = { ...progress, claimed_until: until, attempts: 1, retry_at: NEVER }
      const { matchedCount } = await files.updateOne({ _id: id, claim }, { $set })
      return matchedCount === 1
    },
    /** @param owesMissing true when the missing entries of the file are named later */
    async finish(
      id: string,
      claim: string,
      { found, owesMissing }: { found: Record<string, number>; owesMissing: boolean },
      now: Date,
    ): Promise<void> {
      const file = await files.findOne({ _id: id, claim })
      // Remove the bytes first: after a crash here, the next import of this file reads nothing and finishes.
      if (file) await removeChunks(file.upload)
      const $set = { state: 'imported', imported_at: now, found, ...(owesMissing ? { owes_missing: true } : {}) } as const
      await files.updateOne({ _id: id, claim }, { $set, $unset: { failure: '', retry_at: '' } })
    },
    /** Gives an unfinished file back without a failure. */
    async release(id: string, claim: string): Promise<void> {
      await files.updateOne({ _id: id, claim }, { $set: { claimed_until: NEVER, attempts: 0, retry_at: NEVER } })
    },
    /** Records a failed attempt. Resolves to the number of attempts and the time of the next one; `undefined` when the claim was lost. */
    async fail(id: string, claim: string, failure: ImportFailure): Promise<{ attempts: number; retryAt: Date } | undefined> {
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
