import { createHash, randomBytes } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { Refused, ValidationFailed } from '@gateway/contracts'
import { readHeader } from '../domain/settlement-line.ts'
import type { SettlementFiles } from '../persistence/settlement-files.ts'
import type { FileDocument } from '../persistence/settlement-model.ts'
import { csvLines, csvProblem, settlementParser } from './settlement-csv.ts'

/**
 * Stores a settlement file. When the promise resolves, the bytes are durable, and the importer finds them by itself. Throws
 * `body_too_large`, and `ValidationFailed` for text that is not CSV or has wrong columns.
 */
export type ReceiveSettlementFile = (body: AsyncIterable<Buffer>, operator: string) => Promise<FileDocument>

const CHUNK_BYTES = 256 * 1024

export function makeReceiveSettlementFile({
  files,
  maxBytes,
  now,
}: {
  files: SettlementFiles
  maxBytes: number
  now: () => Date
}): ReceiveSettlementFile {
  return async (body, operator) => {
    const upload = randomBytes(12).toString('hex')
    const hash = createHash('sha256')
    let bytes = 0

    async function* stored(): AsyncGenerator<Buffer> {
      let [waiting, waitingBytes, number]: [Buffer[], number, number] = [[], 0, 0]
      for await (const piece of body) {
        bytes += piece.length
        if (bytes > maxBytes) throw new Refused('body_too_large', `A settlement file may have at most ${maxBytes} bytes`)
        hash.update(piece)
        waiting.push(piece)
        waitingBytes += piece.length
        if (waitingBytes >= CHUNK_BYTES) {
          await files.storeChunk(upload, number++, Buffer.concat(waiting))
          ;[waiting, waitingBytes] = [[], 0]
        }
        yield piece
      }
      if (waitingBytes > 0) await files.storeChunk(upload, number, Buffer.concat(waiting))
    }

    await files.beginUpload(upload, now())
    try {
      let lines = 0
      await pipeline(stored, settlementParser(), async (parsed: AsyncIterable<unknown>) => {
        lines = await countLines(parsed)
      })
      const file = { _id: hash.digest('hex'), upload, bytes, lines, received_at: now(), received_by: operator }
      return await files.add(file)
    } catch (error) {
      // If this fails too, the importer removes the upload after a day.
      await files.abandon(upload).catch(() => undefined)
      throw csvProblem(error)
    }
  }
}

/** Checks the names of the columns and counts the lines below them. */
async function countLines(parsed: AsyncIterable<unknown>): Promise<number> {
  let count = -1
  for await (const { cells } of csvLines(parsed)) {
    if (count === -1) readHeader(cells)
    count += 1
  }
  if (count === -1) throw new ValidationFailed([{ field: '/', message: 'line 1: the names of the columns are missing' }])
  if (count === 0)
    throw new ValidationFailed([{ field: '/', message: 'line 2: there is no line below the names of the columns' }])
  return count
}
