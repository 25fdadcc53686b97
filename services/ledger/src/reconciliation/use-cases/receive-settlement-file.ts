import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { Refused, ValidationFailed } from '@gateway/contracts'
import { foreignKind, HEADER_LINES, readHeader, START_BYTES } from '../domain/settlement-header.ts'
import { newUploadId } from '../persistence/settlement-chunks.ts'
import type { FileDocument, SettlementFiles } from '../persistence/settlement-files.ts'
import { createCsvReader, type CsvLine } from './settlement-csv.ts'

/**
 * Stores a settlement file. When the promise resolves, the bytes are durable, and the importer finds them by itself. Throws
 * `body_too_large`, `body_not_utf8`, and `ValidationFailed` for text that is not CSV or has wrong columns.
 */
export type ReceiveSettlementFile = (body: AsyncIterable<Buffer>, operator: string) => Promise<FileDocument>

const CHUNK_BYTES = 256 * 1024

export function makeReceiveSettlementFile(files: SettlementFiles, maxBytes: number, now: () => Date): ReceiveSettlementFile {
  return async (body, operator) => {
    const upload = newUploadId(now())
    const hash = createHash('sha256')
    const csv = createCsvReader()
    const isUtf8 = utf8Check()
    let bytes = 0

    async function* stored(): AsyncGenerator<Buffer> {
      let [waiting, waitingBytes, number]: [Buffer[], number, number] = [[], 0, 0]
      for await (const piece of checkedStart(body)) {
        bytes += piece.length
        if (bytes > maxBytes) throw new Refused('body_too_large', `A settlement file may have at most ${maxBytes} bytes`)
        hash.update(piece)
        isUtf8(piece)
        waiting.push(piece)
        waitingBytes += piece.length
        if (waitingBytes >= CHUNK_BYTES) {
          await files.storeChunk(upload, number++, Buffer.concat(waiting))
          ;[waiting, waitingBytes] = [[], 0]
        }
        yield piece
      }
      // The last check: an error about columns says more about the file than its encoding.
      if (!isUtf8()) throw new Refused('body_not_utf8', 'The file is not UTF-8: save it as CSV in UTF-8')
      if (waitingBytes > 0) await files.storeChunk(upload, number, Buffer.concat(waiting))
    }

    try {
      let lines = 0
      await pipeline(stored, csv.parser, async (parsed: AsyncIterable<unknown>) => {
        lines = await countLines(csv.lines(parsed))
      })
      const file = { _id: hash.digest('hex'), upload, bytes, lines, received_at: now(), received_by: operator }
      return await files.add(file)
    } catch (error) {
      // If this fails too, the importer removes the upload after a day.
      await files.abandon(upload).catch(() => undefined)
      throw csv.problem(error)
    }
  }
}

/** A function that says whether all pieces so far are UTF-8. The last call has no piece. */
function utf8Check(): (piece?: Buffer) => boolean {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let isUtf8 = true
  return (piece) => {
    try {
      decoder.decode(piece, { stream: piece !== undefined })
    } catch {
      isUtf8 = false
    }
    return isUtf8
  }
}

/** Passes on the pieces of a body. Throws when its first bytes are those of another kind of file. */
async function* checkedStart(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let start: Buffer | undefined = Buffer.alloc(0)
  for await (const piece of body) {
    if (start) start = Buffer.concat([start, piece])
    if (start && start.length < START_BYTES) continue
    yield start ? checked(start) : piece
    start = undefined
  }
  if (start) yield checked(start)
}

function checked(start: Buffer): Buffer {
  const kind = foreignKind(start.subarray(0, START_BYTES))
  if (kind !== undefined) throw problem(`the file is ${kind}: save the sheet as CSV in UTF-8, and upload that`)
  return start
}

/** Checks the names of the columns and counts the lines below them. */
async function countLines(lines: AsyncIterable<CsvLine>): Promise<number> {
  const first: CsvLine[] = []
  let count = 0
  for await (const line of lines) {
    count += 1
    if (count <= HEADER_LINES) first.push(line)
    if (count === HEADER_LINES) checkHeader(first)
  }
  if (count < HEADER_LINES) checkHeader(first)
  return count - 1
}

function checkHeader([header, ...below]: readonly CsvLine[]): void {
  if (!header) throw problem('line 1: the names of the columns are missing')
  readHeader(header, below)
  if (below.length === 0) throw problem('line 2: there is no line below the names of the columns')
}

function problem(message: string): ValidationFailed {
  return new ValidationFailed([{ field: '/', message }])
}
