import { randomBytes } from 'node:crypto'
import { mongo, type Connection } from 'mongoose'
import { driverCollection } from '@gateway/service-kit/mongo'

/** `_id` is `<upload>:<number>`. */
interface ChunkDocument {
  readonly _id: string
  readonly data: mongo.Binary
}

const CHUNKS_PER_READ = 8

/** The id of an upload: in the order of time, by the seconds since 1970. */
export function newUploadId(now: Date): string {
  return secondsOf(now) + randomBytes(8).toString('hex')
}

function secondsOf(at: Date): string {
  return Math.floor(at.getTime() / 1000)
    .toString(16)
    .padStart(8, '0')
}

/**
 * The bytes of settlement files in chunks, until the files are imported.
 *
 * @param isOfFile whether a stored file needs the chunks of an upload
 */
export function mongoSettlementChunks(connection: Connection, isOfFile: (upload: string) => Promise<boolean>) {
  const chunks = driverCollection<ChunkDocument>(connection, 'settlement_chunks')

  async function removeChunks(upload: string): Promise<void> {
    await chunks.deleteMany({ _id: { $gt: `${upload}:`, $lt: `${upload}:~` } })
  }

  /** Removes the chunks of an upload unless a stored file needs them: the answer to the insert of the file may have been lost. */
  async function abandon(upload: string): Promise<void> {
    if (!(await isOfFile(upload))) await removeChunks(upload)
  }

  return {
    abandon,
    removeChunks,
    async storeChunk(upload: string, number: number, data: Buffer): Promise<void> {
      await chunks.insertOne({ _id: `${upload}:${String(number).padStart(7, '0')}`, data: new mongo.Binary(data) })
    },
    /** All bytes of an upload, in order. */
    async *readChunks(upload: string): AsyncGenerator<Buffer> {
      for (let after = `${upload}:`; ;) {
        const some = await chunks
          .find({ _id: { $gt: after, $lt: `${upload}:~` } })
          .sort({ _id: 1 })
          .limit(CHUNKS_PER_READ)
          .toArray()
        for (const { data } of some) yield Buffer.from(data.buffer)
        const last = some.at(-1)
        if (!last || some.length < CHUNKS_PER_READ) return
        after = last._id
      }
    },
    /** Abandons the uploads that began before this time. */
    async abandonBefore(time: Date): Promise<void> {
      for (let after = ''; ;) {
        const older = chunks.find({ _id: { $gt: after, $lt: secondsOf(time) } }, { projection: { _id: 1 } })
        const [first] = await older.sort({ _id: 1 }).limit(1).toArray()
        const [upload] = first?._id.split(':') ?? []
        if (upload === undefined) return
        await abandon(upload)
        after = `${upload}:~`
      }
    },
  }
}
