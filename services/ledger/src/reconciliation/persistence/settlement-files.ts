import type { Connection, mongo } from 'mongoose'
import { driverCollection } from '@gateway/service-kit/mongo'
import { insertAbsent } from '../../common/index.ts'
import { mongoFileClaims, type FileClaims } from './file-claims.ts'
import type { FileDocument } from './documents.ts'
import { mongoSettlementUploads, type SettlementUploads } from './settlement-uploads.ts'

export type NewFile = Pick<FileDocument, '_id' | 'upload' | 'bytes' | 'lines' | 'received_at' | 'received_by'>

/** The settlement files. */
export interface SettlementFiles extends Omit<SettlementUploads, 'remove'>, FileClaims {
  /** Resolves to the stored file: this one, or the one with the same bytes. */
  readonly add: (file: NewFile) => Promise<FileDocument>
  readonly find: (id: string) => Promise<FileDocument | undefined>
  /** Newest first, those before a position. A few files a day are stored, so the database may sort all of them. */
  readonly page: (before: FilePosition | undefined, limit: number) => Promise<FileDocument[]>
  /** The time of the latest import; `undefined` before the first one. */
  readonly lastImportAt: () => Promise<Date | undefined>
  /** The files whose latest attempt failed, apart from one. */
  readonly countFailing: (except?: string) => Promise<number>
  /** Some imported files whose missing entries are not reported yet, the oldest first. */
  readonly owing: () => Promise<FileDocument[]>
  /** Notes that the missing entries of a file are reported, and stores how many differences of each class it has. */
  readonly noteNamed: (id: string, found: Record<string, number>) => Promise<void>
}

/** Where a page of files ended. */
export interface FilePosition {
  readonly receivedAt: Date
  readonly id: string
}

/** Files read at once. */
const SOME = 100

export function mongoSettlementFiles(connection: Connection): SettlementFiles {
  const files = driverCollection<FileDocument>(connection, 'settlement_files')
  const { remove, ...uploads } = mongoSettlementUploads(connection, async (upload) => (await files.findOne({ upload })) !== null)

  return {
    ...uploads,
    ...mongoFileClaims(files, remove),
    async add(file) {
      const fields = { state: 'received', imported_at: null, imported: 0, settled_until: null, found: null } as const
      const document: FileDocument = { ...file, ...fields, claimed_until: new Date(0) }
      const [existing] = await insertAbsent(files, [document])
      await uploads.abandon(file.upload)
      return existing ? ((await files.findOne({ _id: file._id })) ?? document) : document
    },
    async find(id) {
      return (await files.findOne({ _id: id })) ?? undefined
    },
    page(before, limit) {
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
    async lastImportAt() {
      const [last] = await files.find({ state: 'imported' }).sort({ imported_at: -1 }).limit(1).toArray()
      return last?.imported_at ?? undefined
    },
    countFailing(except) {
      const failing: mongo.Filter<FileDocument> = { state: 'received', failure: { $exists: true } }
      return files.countDocuments(except === undefined ? failing : { ...failing, _id: { $ne: except } })
    },
    owing: () => files.find({ owes_missing: true }).sort({ received_at: 1 }).limit(SOME).toArray(),
    async noteNamed(id, found) {
      await files.updateOne({ _id: id }, { $set: { found }, $unset: { owes_missing: '' } })
    },
  }
}
