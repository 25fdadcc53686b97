import { Readable } from 'node:stream'
import { looksLikeCard } from '../domain/card-number.ts'
import { CARD_NUMBER, duplicate, unreadable } from '../domain/difference.ts'
import { entryKey } from '../domain/entry.ts'
import {
  readHeader,
  readLine,
  type SettlementColumn,
  type SettlementLine,
  type UnreadableLine,
} from '../domain/settlement-line.ts'
import type { Differences } from '../persistence/differences.ts'
import type { Entries } from '../persistence/entries.ts'
import type { SettlementFiles } from '../persistence/settlement-files.ts'
import type { FileDocument } from '../persistence/settlement-model.ts'
import type { NewSettlement, Settlements } from '../persistence/settlements.ts'
import type { FindMissing } from './find-missing.ts'
import { csvLines, settlementParser, type CsvLine } from './settlement-csv.ts'
import type { SettleLines } from './settle-lines.ts'

/** Imports a claimed file from its saved progress on. Resolves to false when it was stopped, or lost its claim. Safe to repeat. */
export type ImportSettlementFile = (file: FileDocument, claim: string, stopped: AbortSignal) => Promise<boolean>

export interface ImportParts {
  readonly files: SettlementFiles
  readonly settlements: Settlements
  readonly differences: Differences
  readonly entries: Pick<Entries, 'find'>
  readonly settleLines: Pick<SettleLines, 'fresh'>
  readonly findMissing: FindMissing
  readonly now: () => Date
  readonly leaseMs: number
}

/** Lines in memory, and in one command. A crash repeats as many at most. */
const BATCH = 500
/** Settlements of one file whose keys are kept in memory. */
const MAX_KNOWN_SETTLEMENTS = 20_000

export function makeImportSettlementFile(parts: ImportParts): ImportSettlementFile {
  const { files, settlements, differences, findMissing, now, leaseMs } = parts
  const applyBatch = makeApplyBatch(parts)

  return async (file, claim, stopped) => {
    const known = new Map<string, NewSettlement>()
    let { imported, settled_until } = file
    for await (const batch of batchesOf(files.read(file), imported)) {
      const { latestDay, touched } = await applyBatch(file._id, batch)
      const fresh = touched.filter(({ _id }) => !known.has(_id))
      await settlements.markStale(fresh)
      if (known.size < MAX_KNOWN_SETTLEMENTS) for (const one of fresh) known.set(one._id, one)
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
    // The lines of a file that fails may be what is missing: nameOwedMissing does it once no file fails.
    const owesMissing = settled_until !== null && (await files.countFailing(file._id)) > 0
    if (settled_until !== null && !owesMissing) await findMissing(file._id, settled_until)
    await files.finish(file._id, claim, { found: await differences.count(file._id), owesMissing }, now())
    return true
  }
}

function makeApplyBatch({ entries, settlements, differences, settleLines, now }: ImportParts) {
  /** The bank may have put a card number where its reference belongs: such a line is kept only when an entry has the reference. */
  async function cardNumbers(lines: readonly SettlementLine[]): Promise<UnreadableLine[]> {
    const likely = lines.filter(({ reference }) => looksLikeCard(reference))
    const known = await entries.find(likely.map(entryKey))
    return likely.filter((line) => !known.has(entryKey(line))).map(({ line }) => ({ line, ...CARD_NUMBER }))
  }

  return async (file: string, batch: readonly (SettlementLine | UnreadableLine)[]) => {
    const readable = batch.filter((line) => 'kind' in line)
    const cards = await cardNumbers(readable)
    const bad = [...batch.filter((line) => 'reason' in line), ...cards]
    const lines = readable.filter(({ line }) => !cards.some((card) => card.line === line))
    // The first line of a key counts, within this batch and before it.
    const first = new Map(lines.toReversed().map((line) => [entryKey(line), line]))
    const kept = await settlements.keep(file, [...first.values()])
    const numbers = new Set(kept.map(({ line }) => line))
    const repeated = lines.filter(({ line }) => !numbers.has(line))
    await differences.add([...bad.map((line) => unreadable(file, line)), ...repeated.map((line) => duplicate(file, line))], now())
    const latestDay = lines.map(({ settledOn }) => settledOn).reduce<string | null>((one, other) => later(one, other), null)
    return { latestDay, touched: await settleLines.fresh(kept) }
  }
}

function later(one: string | null, other: string): string {
  return one !== null && one > other ? one : other
}

/** The lines below the names of the columns, without the first `skip`. */
async function* batchesOf(bytes: AsyncIterable<Buffer>, skip: number): AsyncGenerator<(SettlementLine | UnreadableLine)[]> {
  let header: ReadonlyMap<SettlementColumn, number> | undefined
  let [left, batch]: [number, (SettlementLine | UnreadableLine)[]] = [skip, []]
  const source = Readable.from(bytes, { highWaterMark: 1 })
  const parser = settlementParser()
  source.once('error', (error) => parser.destroy(error))
  const lines: AsyncIterable<CsvLine> = csvLines(source.pipe(parser))
  try {
    for await (const { cells, line } of lines) {
      if (!header) header = readHeader(cells)
      else if (left > 0) left -= 1
      else batch.push(readLine(cells, header, line))
      if (batch.length < BATCH) continue
      yield batch
      batch = []
    }
    if (batch.length > 0) yield batch
  } finally {
    source.destroy()
  }
}
