import { randomBytes } from 'node:crypto'
import type { Connection, mongo } from 'mongoose'
import { driverCollection } from '@gateway/service-kit/mongo'
import { insertAbsent } from '../../common/index.ts'
import type { KeptLine } from '../domain/difference.ts'
import { directionOf, lineKey, type Entry } from '../domain/entry.ts'
import type { SettlementLine } from '../domain/settlement-line.ts'
import type { LineDocument, MerchantLineDocument, SettlementDocument } from './documents.ts'

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
  const settlements = driverCollection<SettlementDocument>(connection, 'settlements')
  const findKept = async (keys: readonly string[]): Promise<KeptLine[]> =>
    keys.length === 0 ? [] : lines.find({ _id: { $in: [...keys] } }).toArray()

  const totals = mongoTotals(settlements, shown)

  return {
    async keep(file, all) {
      const byKey = new Map(all.map((line) => [lineKey(line), { ...line, _id: lineKey(line), file }]))
      const existing = await insertAbsent(lines, [...byKey.values()])
      const stored = new Map((await findKept(existing.map(({ _id }) => _id))).map((line) => [lineKey(line), line]))
      const isKept = (line: SettlementLine): boolean => {
        const other = stored.get(lineKey(line))
        return other === undefined || (other.file === file && other.line === line.line)
      }
      return all.filter(isKept).map((line) => ({ ...line, file }))
    },
    findKept,
    async show(pairs) {
      await insertAbsent(shown, pairs.map(toMerchantLine))
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
    const stale = randomBytes(9).toString('base64url')
    const marked = all.map((settlement) => ({ ...settlement, ...NOTHING, stale }))
    const existing = (await insertAbsent(settlements, marked)).map(({ _id }) => _id)
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
        totals[`${directionOf(kind)}_paise`] += amount_paise
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

function settlementKey({ line, entry }: SettledPair): string {
  return `${entry.merchant_id}:${line.settled_on}:${line.settlement_id}`
}

/** The settlement that a pair belongs to. */
export function settlementOf(pair: SettledPair): NewSettlement {
  const { settlement_id, settled_on, utr } = pair.line
  return { _id: settlementKey(pair), merchant_id: pair.entry.merchant_id, settlement_id, settled_on, utr }
}

function toMerchantLine(pair: SettledPair): MerchantLineDocument {
  const { kind, reference, amount_paise, fee_paise, tax_paise, status } = pair.line
  const { order_id, transaction_id, method, rrn } = pair.entry
  return {
    ...{ _id: `${settlementKey(pair)}:${lineKey(pair.line)}`, kind, reference, order_id, transaction_id, method },
    ...{ rrn: rrn ?? pair.line.rrn, amount_paise, fee_paise, tax_paise, status },
  }
}
