import { randomBytes } from 'node:crypto'
import type { Connection, mongo } from 'mongoose'
import { driverCollection, insertBatch } from '@gateway/service-kit/mongo'
import type { KeptLine } from '../domain/difference.ts'
import { lineKey, parseLineKey, signOf, type Entry } from '../domain/entry.ts'
import type { SettlementLine } from '../domain/settlement-line.ts'
import { settlementModel, type LineDocument, type MerchantLineDocument, type SettlementDocument } from './settlement-model.ts'

/** The lines of settlement files, and the settlements of merchants that they add up to. */
export interface Settlements {
  /** Keeps the first line of each key. Resolves to the lines that are kept, now or since an earlier try. */
  readonly keep: (file: string, lines: readonly SettlementLine[]) => Promise<KeptLine[]>
  readonly findKept: (keys: readonly string[]) => Promise<KeptLine[]>
  /** Stores what merchants see of their lines. */
  readonly show: (pairs: readonly SettledPair[]) => Promise<void>
  /** Marks settlements whose totals have to be added up, after their lines were stored. */
  readonly markStale: (settlements: readonly NewSettlement[]) => Promise<void>
  /** Adds up the settlements that are marked. */
  readonly addUp: () => Promise<void>
  /** Newest first, those before one. */
  readonly page: (merchantId: string, range: SettlementRange, limit: number) => Promise<SettlementDocument[]>
  /** All with this id: normally one, on one day. */
  readonly find: (merchantId: string, settlementId: string) => Promise<SettlementDocument[]>
  /** The lines of a settlement in the order of their keys, those after one. */
  readonly linesOf: (settlement: string, after: string | undefined, limit: number) => Promise<MerchantLineDocument[]>
}

export interface SettledPair {
  readonly line: KeptLine
  readonly entry: Entry
}

export type NewSettlement = Pick<SettlementDocument, '_id' | 'merchant_id' | 'settlement_id' | 'settled_on' | 'utr'>

export interface SettlementRange {
  /** Days such as `2026-11-21`, both included. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  /** The `_id` of the last one on the page before. */
  readonly before?: string | undefined
}

const CHUNK = 5000
/** Settlements added up at once. */
const FEW = 100

export function mongoSettlements(connection: Connection): Settlements {
  const lines = driverCollection<LineDocument>(connection, 'settlement_lines')
  const shown = driverCollection<MerchantLineDocument>(connection, 'settlement_merchant_lines')
  const settlements = driverCollection<SettlementDocument>(connection, settlementModel(connection).collection.name)
  const findKept = async (keys: readonly string[]): Promise<KeptLine[]> =>
    keys.length === 0 ? [] : (await lines.find({ _id: { $in: [...keys] } }).toArray()).map(toKeptLine)

  const totals = mongoTotals(settlements, shown)

  return {
    async keep(file, all) {
      const byKey = new Map(all.map((line) => [lineKey(line), toLineDocument(file, line)]))
      const results = await insertBatch(lines, [...byKey.values()])
      const existing = [...byKey.keys()].filter((_, index) => !wasInserted(results[index]))
      const stored = new Map((await findKept(existing)).map((line) => [lineKey(line), line]))
      const isKept = (line: SettlementLine): boolean => {
        const other = stored.get(lineKey(line))
        return other === undefined || (other.file === file && other.line === line.line)
      }
      return all.filter(isKept).map((line) => ({ ...line, file }))
    },
    findKept,
    async show(pairs) {
      if (pairs.length > 0) (await insertBatch(shown, pairs.map(toMerchantLine))).forEach(wasInserted)
    },
    ...totals,
    page(merchantId, { from = '', to, before }, limit) {
      // `before` comes from the caller, so it may only make the range of this merchant smaller.
      const last = `${merchantId}:${to === undefined ? '~' : `${to}:~`}`
      const end = before !== undefined && before < last ? before : last
      return settlements
        .find({ _id: { $gte: `${merchantId}:${from}`, $lt: end } })
        .sort({ _id: -1 })
        .limit(limit)
        .toArray()
    },
    async find(merchantId, settlementId) {
      const found = await settlements.find({ merchant_id: merchantId, settlement_id: settlementId }).toArray()
      return found.toSorted((one, other) => (one._id < other._id ? -1 : 1))
    },
  }
}

/** Adds settlements up. */
function mongoTotals(
  settlements: mongo.Collection<SettlementDocument>,
  shown: mongo.Collection<MerchantLineDocument>,
): Pick<Settlements, 'markStale' | 'addUp' | 'linesOf'> {
  async function markStale(all: readonly NewSettlement[]): Promise<void> {
    if (all.length === 0) return
    const stale = randomBytes(9).toString('base64url')
    const results = await insertBatch(
      settlements,
      all.map((one) => ({ ...one, ...NOTHING, stale })),
    )
    const existing = all.filter((_, index) => !wasInserted(results[index])).map(({ _id }) => _id)
    if (existing.length > 0) await settlements.updateMany({ _id: { $in: existing } }, { $set: { stale } })
  }

  async function totalsOf(settlement: string): Promise<Totals> {
    const totals = { ...NOTHING }
    let after: string | undefined
    for (;;) {
      const some = await linesOf(settlement, after, CHUNK)
      for (const { kind, status, amount_paise, fee_paise, tax_paise } of some) {
        totals.lines += 1
        if (status !== 'succeeded') continue
        totals[signOf(kind) > 0 ? 'credit_paise' : 'debit_paise'] += amount_paise
        totals.fee_paise += fee_paise
        totals.tax_paise += tax_paise
      }
      if (some.length < CHUNK) return totals
      after = some.at(-1)?._id
    }
  }

  function linesOf(settlement: string, after: string | undefined, limit: number): Promise<MerchantLineDocument[]> {
    const _id = { $gt: after ?? `${settlement}:`, $lt: `${settlement}:~` }
    return shown.find({ _id }).sort({ _id: 1 }).limit(limit).toArray()
  }

  return {
    markStale,
    async addUp() {
      for (;;) {
        const found = await settlements
          .find({ stale: { $exists: true } })
          .limit(FEW)
          .toArray()
        for (const { _id, stale } of found) {
          const totals = await totalsOf(_id)
          // It stays marked when another line came during the addition.
          await settlements.updateOne({ _id, stale: stale ?? '' }, { $set: totals, $unset: { stale: '' } })
        }
        if (found.length < FEW) return
      }
    },
    linesOf,
  }
}

type Totals = Pick<SettlementDocument, 'lines' | 'credit_paise' | 'debit_paise' | 'fee_paise' | 'tax_paise'>
const NOTHING: Totals = { lines: 0, credit_paise: 0, debit_paise: 0, fee_paise: 0, tax_paise: 0 }

/** Throws the error of a refused document. */
function wasInserted(result: PromiseSettledResult<boolean> | undefined): boolean {
  if (result?.status === 'rejected') throw result.reason
  return result?.value === true
}

function settlementKey({ line, entry }: SettledPair): string {
  return `${entry.merchantId}:${line.settledOn}:${line.settlementId}`
}

/** The settlement that a pair belongs to. */
export function settlementOf(pair: SettledPair): NewSettlement {
  const { line, entry } = pair
  const { settlementId, settledOn, utr } = line
  return { _id: settlementKey(pair), merchant_id: entry.merchantId, settlement_id: settlementId, settled_on: settledOn, utr }
}

function toMerchantLine(pair: SettledPair): MerchantLineDocument {
  const { line, entry } = pair
  return {
    ...{ _id: `${settlementKey(pair)}:${lineKey(line)}`, kind: line.kind, reference: line.reference },
    ...{ order_id: entry.orderId, transaction: entry.transactionId, rrn: entry.rrn ?? line.rrn, method: entry.method },
    ...{ amount_paise: line.amountPaise, fee_paise: line.feePaise, tax_paise: line.taxPaise, status: line.status },
  }
}

function toLineDocument(file: string, line: SettlementLine): LineDocument {
  return {
    ...{ _id: lineKey(line), file, line: line.line, tr: line.tr, rrn: line.rrn, status: line.status, utr: line.utr },
    ...{ amount_paise: line.amountPaise, fee_paise: line.feePaise, tax_paise: line.taxPaise },
    ...{ settled_on: line.settledOn, settlement_id: line.settlementId },
  }
}

function toKeptLine(document: LineDocument): KeptLine {
  return {
    ...parseLineKey(document._id),
    ...{ file: document.file, line: document.line, tr: document.tr, rrn: document.rrn, utr: document.utr },
    status: document.status,
    ...{ amountPaise: document.amount_paise, feePaise: document.fee_paise, taxPaise: document.tax_paise },
    ...{ settledOn: document.settled_on, settlementId: document.settlement_id },
  }
}
