import { mongo, type Connection } from 'mongoose'
import { driverCollection } from '@gateway/service-kit/mongo'
import type { ChunkDocument, UploadDocument } from './documents.ts'

/** The bytes of settlement files in chunks, until the files are imported. */
export interface SettlementUploads {
  readonly beginUpload: (upload: string, now: Date) => Promise<void>
  readonly storeChunk: (upload: string, number: number, data: Buffer) => Promise<void>
  /** Ends an upload. Removes its chunks unless a stored file needs them. */
  readonly abandon: (upload: string) => Promise<void>
  /** Uploads that began before this time and have not ended. */
  readonly abandoned: (before: Date) => Promise<string[]>
  /** All bytes of a file, in order. */
  readonly read: (file: { readonly upload: string }) => AsyncIterable<Buffer>
  readonly remove: (upload: string) => Promise<void>
}

const CHUNKS_PER_READ = 8

export function mongoSettlementUploads(
  connection: Connection,
  isOfFile: (upload: string) => Promise<boolean>,
): SettlementUploads {
  const uploads = driverCollection<UploadDocument>(connection, 'settlement_uploads')
  const chunks = driverCollection<ChunkDocument>(connection, 'settlement_chunks')
  const chunksOf = (upload: string, after = ''): { $gt: string; $lt: string } => ({
    $gt: `${upload}:${after}`,
    $lt: `${upload}:~`,
  })
  const removeChunks = async (upload: string): Promise<void> => {
    await chunks.deleteMany({ _id: chunksOf(upload) })
  }

  return {
    async beginUpload(upload, now) {
      await uploads.insertOne({ _id: upload, started_at: now })
    },
    async storeChunk(upload, number, data) {
      await chunks.insertOne({ _id: chunkId(upload, number), data: new mongo.Binary(data) })
    },
    async abandon(upload) {
      // The file may be stored although the database's answer to its insert was lost.
      if (!(await isOfFile(upload))) await removeChunks(upload)
      await uploads.deleteOne({ _id: upload })
    },
    async abandoned(before) {
      const found = await uploads
        .find({ started_at: { $lt: before } })
        .limit(100)
        .toArray()
      return found.map(({ _id }) => _id)
    },
    async *read({ upload }) {
      let after = ''
      for (;;) {
        const some = await chunks
          .find({ _id: chunksOf(upload, after) })
          .sort({ _id: 1 })
          .limit(CHUNKS_PER_READ)
          .toArray()
        for (const { data } of some) yield Buffer.from(data.buffer)
        const last = some.at(-1)
        if (!last || some.length < CHUNKS_PER_READ) return
        after = last._id.slice(upload.length + 1)
      }
    },
    remove: removeChunks,
  }
}

function chunkId(upload: string, number: number): string {
  return `${upload}:${String(number).padStart(7, '0')}`
}
