import { Readable } from 'node:stream'
import { addDays, holdsCardNumber, istDay } from '@gateway/contracts'
import { CARD_NUMBER, duplicate, unreadable } from '../domain/difference.ts'
import { lineKey } from '../domain/entry.ts'
import { readHeader } from '../domain/settlement-header.ts'
import { readLine, type LineOptions, type SettlementLine, type UnreadableLine } from '../domain/settlement-line.ts'
import type { FileDocument } from '../persistence/settlement-files.ts'
import type { Stores } from '../persistence/stores.ts'
import type { FindMissing } from './find-missing.ts'
import { createCsvReader } from './settlement-csv.ts'
import type { SettleLines } from './settle-lines.ts'

/**
 * Imports a file that this replica has claimed, from its saved progress on. Resolves to true when the file is imported, and to false
 * when `stopped` ended the import or another replica has the claim. Safe to repeat.
 */
export type ImportSettlementFile = (file: FileDocument, claim: string, stopped: AbortSignal) => Promise<boolean>

export interface ImportParts {
  readonly stores: Stores
  readonly settleLines: SettleLines
  readonly findMissing: FindMissing
  readonly now: () => Date
  /** How long a replica that died keeps its file from the others. */
  readonly leaseMs: number
}

/** Lines that are in memory at once, and stored with one command. After a crash, at most this many are imported again. */
const BATCH = 500
/** Settlements of one file that are kept in memory. Further ones are marked again with each batch. */
const MAX_KNOWN_SETTLEMENTS = 20_000

export function makeImportSettlementFile(parts: ImportParts): ImportSettlementFile {
  const { stores, findMissing, now, leaseMs } = parts
  const { files, settlements, differences } = stores
  const applyBatch = makeApplyBatch(parts)

  return async (file, claim, stopped) => {
    const known = new Set<string>()
    let { imported, settled_until } = file
    for await (const batch of batchesOf(files.readChunks(file.upload), file)) {
      const { latestDay, touched } = await applyBatch(file._id, batch)
      const fresh = touched.filter(({ _id }) => !known.has(_id))
      await settlements.markStale(fresh)
      if (known.size < MAX_KNOWN_SETTLEMENTS) for (const { _id } of fresh) known.add(_id)
      imported += batch.length
      if (latestDay !== null && (settled_until === null || latestDay > settled_until)) settled_until = latestDay
      const isOurs = await files.saveProgress(file._id, claim, { imported, settled_until }, new Date(now().getTime() + leaseMs))
      if (!isOurs) return false
      if (stopped.aborted) {
        await files.release(file._id, claim)
        return false
      }
    }
    await settlements.addUp()
    // While another file fails, its lines may be the missing ones. `findMissing.owed` reports them later.
    const owesMissing = settled_until !== null && (await files.countFailing(file._id)) > 0
    if (settled_until !== null && !owesMissing) await findMissing.ofFile(file._id, settled_until)
    await files.finish(file._id, claim, { found: await differences.count(file._id), owesMissing }, now())
    return true
  }
}

function makeApplyBatch({ stores: { entries, settlements, differences }, settleLines, now }: ImportParts) {
  /** Lines whose reference looks like a card number. Such a line is stored only when an entry has this reference. */
  async function cardNumbers(lines: readonly SettlementLine[]): Promise<UnreadableLine[]> {
    const suspicious = lines.filter(({ reference }) => holdsCardNumber(reference))
    const known = await entries.find(suspicious.map(lineKey))
    return suspicious.filter((line) => !known.has(lineKey(line))).map(({ line }) => ({ line, ...CARD_NUMBER }))
  }

  return async (file: string, batch: readonly (SettlementLine | UnreadableLine)[]) => {
    const readable = batch.filter((line) => 'kind' in line)
    const cards = await cardNumbers(readable)
    const bad = [...batch.filter((line) => 'reason' in line), ...cards]
    const lines = readable.filter(({ line }) => !cards.some((card) => card.line === line))
    // Of several lines with one key, the first counts: `keep` finds those of earlier batches and files.
    const first = new Map(lines.toReversed().map((line) => [lineKey(line), line]))
    const kept = await settlements.keep(file, [...first.values()])
    const numbers = new Set(kept.map(({ line }) => line))
    const repeated = lines.filter(({ line }) => !numbers.has(line))
    await differences.add([...bad.map((line) => unreadable(file, line)), ...repeated.map((line) => duplicate(file, line))], now())
    const latestDay = lines.map(({ settled_on }) => settled_on).reduce<string | null>((one, other) => later(one, other), null)
    return { latestDay, touched: await settleLines.fresh(kept) }
  }
}

function later(one: string | null, other: string): string {
  return one !== null && one > other ? one : other
}

/** Reads the lines below the names of the columns in batches, without those that are imported already. */
async function* batchesOf(
  bytes: AsyncIterable<Buffer>,
  { imported, received_at }: Pick<FileDocument, 'imported' | 'received_at'>,
): AsyncGenerator<(SettlementLine | UnreadableLine)[]> {
  // By the day of the upload, so that a repeated import reads every line alike.
  const latestDay = addDays(istDay(received_at), 1)
  let header: LineOptions['header'] | undefined
  let [left, batch]: [number, (SettlementLine | UnreadableLine)[]] = [imported, []]
  const source = Readable.from(bytes, { highWaterMark: 1 })
  const csv = createCsvReader()
  source.once('error', (error) => csv.parser.destroy(error))
  try {
    for await (const { cells, line } of csv.lines(source.pipe(csv.parser))) {
      if (!header) header = readHeader({ cells, line })
      else if (left > 0) left -= 1
      else batch.push(readLine(cells, { line, header, latestDay }))
      if (batch.length < BATCH) continue
      yield batch
      batch = []
    }
    if (batch.length > 0) yield batch
  } catch (error) {
    throw csv.problem(error)
  } finally {
    source.destroy()
  }
}
