import type { Connection } from 'mongoose'
import { driverCollection, insertBatch } from '@gateway/service-kit/mongo'
import type { FileDocument } from './settlement-model.ts'
import { mongoSettlementUploads, type SettlementUploads } from './settlement-uploads.ts'

export type NewFile = Pick<FileDocument, '_id' | 'upload' | 'bytes' | 'lines' | 'received_at' | 'received_by'>
type Progress = Pick<FileDocument, 'imported' | 'settled_until'>

/** The settlement files. */
export interface SettlementFiles extends Omit<SettlementUploads, 'remove'> {
  /** Resolves to the stored file: this one, or the one with the same bytes. */
  readonly add: (file: NewFile) => Promise<FileDocument>
  readonly find: (id: string) => Promise<FileDocument | undefined>
  /** The oldest file that is not imported; `busy` while another replica imports it. */
  readonly claimNext: (claim: string, now: Date, until: Date) => Promise<FileDocument | 'busy' | undefined>
  /** False when the claim was lost. */
  readonly saveProgress: (id: string, claim: string, progress: Progress, until: Date) => Promise<boolean>
  readonly finish: (id: string, claim: string, found: Record<string, number>, now: Date) => Promise<void>
  readonly release: (id: string, claim: string) => Promise<void>
  /** The time of the latest import; `undefined` before the first one. */
  readonly lastImportAt: () => Promise<Date | undefined>
}

export function mongoSettlementFiles(connection: Connection): SettlementFiles {
  const files = driverCollection<FileDocument>(connection, 'settlement_files')
  const { remove, ...uploads } = mongoSettlementUploads(connection, async (upload) => (await files.findOne({ upload })) !== null)

  return {
    ...uploads,
    async add(file) {
      const fields = { state: 'received', imported_at: null, imported: 0, settled_until: null, found: null } as const
      const document: FileDocument = { ...file, ...fields, claimed_until: new Date(0) }
      const [result] = await insertBatch(files, [document])
      if (result?.status === 'rejected') throw result.reason
      await uploads.abandon(file.upload)
      return result?.value === true ? document : ((await files.findOne({ _id: file._id })) ?? document)
    },
    async find(id) {
      return (await files.findOne({ _id: id })) ?? undefined
    },
    async claimNext(claim, now, until) {
      const [oldest] = await files.find({ state: 'received' }).sort({ received_at: 1 }).limit(1).toArray()
      if (!oldest) return undefined
      const free = { _id: oldest._id, state: 'received' as const, $or: [{ claimed_until: { $lte: now } }, { claim }] }
      return (
        (await files.findOneAndUpdate(free, { $set: { claim, claimed_until: until } }, { returnDocument: 'after' })) ?? 'busy'
      )
    },
    async saveProgress(id, claim, progress, until) {
      const { matchedCount } = await files.updateOne({ _id: id, claim }, { $set: { ...progress, claimed_until: until } })
      return matchedCount === 1
    },
    async finish(id, claim, found, now) {
      const file = await files.findOne({ _id: id, claim })
      // Remove the bytes first: after a crash here, the next import of this file reads nothing and finishes.
      if (file) await remove(file.upload)
      await files.updateOne({ _id: id, claim }, { $set: { state: 'imported', imported_at: now, found } })
    },
    async release(id, claim) {
      await files.updateOne({ _id: id, claim }, { $set: { claimed_until: new Date(0) } })
    },
    async lastImportAt() {
      const [last] = await files.find({ state: 'imported' }).sort({ imported_at: -1 }).limit(1).toArray()
      return last?.imported_at ?? undefined
    },
  }
}
