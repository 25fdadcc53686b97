/** A file of documents: consecutive BSON, gzipped. Streamed, so memory does not grow with the file. */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'

/** BSON's limit of 16 MiB per document. */
const MAX_DOCUMENT_BYTES = 17 * 1024 * 1024
const MIN_DOCUMENT_BYTES = 5

/** Writes the documents, each as BSON, to a new file; resolves to its SHA-256. Throws when the file exists. */
export async function writeBsonFile(file: string, documents: AsyncIterable<Uint8Array>): Promise<string> {
  await pipeline(documents, createGzip({ level: 6 }), createWriteStream(file, { flags: 'wx', mode: 0o600 }))
  return sha256Of(file)
}

export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

/** The documents of a file, each as BSON. Throws when it ends within one. */
export async function* readBsonFile(file: string): AsyncGenerator<Buffer> {
  const source = createReadStream(file)
  const chunks = source.pipe(createGunzip())
  // A pipe does not forward errors.
  source.on('error', (error) => chunks.destroy(error))
  yield* splitDocuments(chunks)
}

/** Each document starts with its length, 32 bits little-endian. */
export async function* splitDocuments(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    for (let length = lengthOf(rest); length !== undefined && rest.length >= length; length = lengthOf(rest)) {
      yield rest.subarray(0, length)
      rest = rest.subarray(length)
    }
  }
  if (rest.length > 0) throw new Error('the file ends within a document')
}

function lengthOf(bytes: Buffer): number | undefined {
  if (bytes.length < 4) return undefined
  const length = bytes.readInt32LE(0)
  if (length < MIN_DOCUMENT_BYTES || length > MAX_DOCUMENT_BYTES) throw new Error('this is not a file of BSON documents')
  return length
}
