import { randomBytes } from 'node:crypto'
import type { Connection, mongo } from 'mongoose'
import { driverCollection, PRESENT } from '@gateway/service-kit/mongo'
import { insertAbsent } from '../../common/index.ts'
import type { KeptLine, Pair } from '../domain/difference.ts'
import { directionOf, lineKey, type Entry } from '../domain/entry.ts'
import type { SettlementLine } from '../domain/settlement-line.ts'

/** What the bank settled for one merchant in one transfer. `_id` is `<merchant>:<day>:<settlement id>`: in the order of days for each merchant. */
export interface SettlementDocument {
  readonly _id: string
  readonly merchant_id: string
  readonly settlement_id: string
  readonly settled_on: string
  readonly utr: string | null
  /** A random text while the totals may lack lines; absent once they have all of them. */
  readonly stale?: string
  readonly lines: number
  readonly credit_paise: number
  readonly debit_paise: number
  readonly fee_paise: number
  readonly tax_paise: number
}

const NOTHING = { lines: 0, credit_paise: 0, debit_paise: 0, fee_paise: 0, tax_paise: 0 }
export type NewSettlement = Omit<SettlementDocument, 'stale' | keyof typeof NOTHING>

/** The first line with a kind and reference, as the bank sent it. `_id` is this key. */
interface LineDocument extends KeptLine {
  readonly _id: string
}

/** A line that belongs to an entry, as its merchant sees it. `_id` is `<merchant>:<day>:<settlement id>:<key>`. */
export interface MerchantLineDocument
  extends
    Pick<SettlementLine, 'kind' | 'reference' | 'rrn' | 'amount_paise' | 'fee_paise' | 'tax_paise' | 'status'>,
    Pick<Entry, 'order_id' | 'transaction_id' | 'method'> {
  readonly _id: string
}

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

export type Settlements = ReturnType<typeof mongoSettlements>

/** The lines of settlement files, and the settlements of merchants that they add up to. */
export function mongoSettlements(connection: Connection) {
  const lines = driverCollection<LineDocument>(connection, 'settlement_lines')
  const shown = driverCollection<MerchantLineDocument>(connection, 'settlement_merchant_lines')
  const settlements = driverCollection<SettlementDocument>(connection, 'settlements')

  const findKept = async (keys: readonly string[]): Promise<KeptLine[]> =>
    keys.length === 0 ? [] : lines.find({ _id: { $in: [...keys] } }).toArray()

  /** The lines of a settlement in the order of their keys, those after one. */
  function linesOf(settlement: string, after: string | undefined, limit: number): Promise<MerchantLineDocument[]> {
    const _id = { $gt: after ?? `${settlement}:`, $lt: `${settlement}:~` }
    return shown.find({ _id }).sort({ _id: 1 }).limit(limit).toArray()
  }

  return {
    ...totalsOf(settlements, linesOf),
    findKept,
    linesOf,
    /** Keeps the first line of each key. Resolves to the lines that are kept, now or since an earlier try. */
    async keep(file: string, all: readonly SettlementLine[]): Promise<KeptLine[]> {
      const byKey = new Map(all.map((line) => [lineKey(line), { ...line, _id: lineKey(line), file }]))
      const existing = await insertAbsent(lines, [...byKey.values()])
      const stored = new Map((await findKept(existing.map(({ _id }) => _id))).map((line) => [lineKey(line), line]))
      const isKept = (line: SettlementLine): boolean => {
        const other = stored.get(lineKey(line))
        return other === undefined || (other.file === file && other.line === line.line)
      }
      return all.filter(isKept).map((line) => ({ ...line, file }))
    },
    /** Stores what merchants see of their lines. */
    async show(pairs: readonly Pair[]): Promise<void> {
      await insertAbsent(shown, pairs.map(toMerchantLine))
    },
    /** Newest first, those before one. */
    page(merchantId: string, { from = '', to, before }: SettlementRange, limit: number): Promise<SettlementDocument[]> {
      // `before` comes from the caller, so it may only make the range of this merchant smaller.
      const last = `${merchantId}:${to === undefined ? '~' : `${to}:~`}`
      const end = before !== undefined && before < last ? before : last
      return settlements
        .find({ _id: { $gte: `${merchantId}:${from}`, $lt: end } })
        .sort({ _id: -1 })
        .limit(limit)
        .toArray()
    },
    /** All with this id: normally one, on one day. */
    async find(merchantId: string, settlementId: string): Promise<SettlementDocument[]> {
      const found = await settlements.find({ merchant_id: merchantId, settlement_id: settlementId }).toArray()
      return found.toSorted((one, other) => (one._id < other._id ? -1 : 1))
    },
  }
}

/** Adds settlements up. */
function totalsOf(
  settlements: mongo.Collection<SettlementDocument>,
  linesOf: (settlement: string, after: string | undefined, limit: number) => Promise<MerchantLineDocument[]>,
) {
  async function sumOf(settlement: string): Promise<typeof NOTHING> {
    const totals = { ...NOTHING }
    for (let after: string | undefined; ;) {
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

  return {
    /** Marks settlements whose totals have to be added up, after their lines were stored. */
    async markStale(all: readonly NewSettlement[]): Promise<void> {
      const stale = randomBytes(9).toString('base64url')
      const marked = all.map((settlement) => ({ ...settlement, ...NOTHING, stale }))
      const existing = (await insertAbsent(settlements, marked)).map(({ _id }) => _id)
      if (existing.length > 0) await settlements.updateMany({ _id: { $in: existing } }, { $set: { stale } })
    },
    /** Adds up the settlements that are marked. */
    async addUp(): Promise<void> {
      for (;;) {
        const found = await settlements.find({ stale: PRESENT }).limit(FEW).toArray()
        for (const { _id, stale } of found) {
          // It stays marked when another line came during the addition.
          await settlements.updateOne({ _id, stale: stale ?? '' }, { $set: await sumOf(_id), $unset: { stale: '' } })
        }
        if (found.length < FEW) return
      }
    },
  }
}

/** The settlement that a pair belongs to. */
export function settlementOf({ line, entry: { merchant_id } }: Pair): NewSettlement {
  const { settlement_id, settled_on, utr } = line
  return { _id: `${merchant_id}:${settled_on}:${settlement_id}`, merchant_id, settlement_id, settled_on, utr }
}

function toMerchantLine(pair: Pair): MerchantLineDocument {
  const { kind, reference, amount_paise, fee_paise, tax_paise, status } = pair.line
  const { order_id, transaction_id, method, rrn } = pair.entry
  return {
    ...{ _id: `${settlementOf(pair)._id}:${lineKey(pair.line)}`, kind, reference, order_id, transaction_id, method },
    ...{ rrn: rrn ?? pair.line.rrn, amount_paise, fee_paise, tax_paise, status },
  }
}
