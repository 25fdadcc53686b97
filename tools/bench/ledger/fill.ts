/** Fills the ledger's database with payments of the past, as its own code would store them. */
import type { mongo } from 'mongoose'
import { newTransactionId, slotOfOrder, type ExportedPayment } from '@gateway/contracts'
import { entriesOfExport } from '@gateway-services/ledger/reconciliation/domain/entry'
import { paymentOfExport } from '@gateway-services/ledger/lists/domain/payment'
import { toEntryDocument } from '@gateway-services/ledger/reconciliation/persistence/entries'

const DAY_MS = 24 * 3600 * 1000
/** Long enough ago that the bank should have settled everything. */
const ENDED_BEFORE_MS = 14 * DAY_MS
export const DAYS = 5
const BATCH = 1000
const WRITERS = 3
/** One in so many was declined, and the one after it refunded. */
const DECLINED_EVERY = 10

export interface StoredPayments {
  readonly total: number
  readonly merchantIds: readonly string[]
  readonly startMs: number
}

/** The plan of a fill of so many payments, which ends two weeks ago. */
export function planFill(total: number, merchantIds: readonly string[]): StoredPayments {
  return { total, merchantIds, startMs: Math.floor(Date.now() / DAY_MS) * DAY_MS - ENDED_BEFORE_MS - DAYS * DAY_MS }
}

/** The money of a payment, whose reference is `P<number>`. As many are declined as refunded: there are as many movements as payments. */
export function movementsOf(number: number): readonly { kind: 'capture' | 'refund'; reference: string; paise: number }[] {
  const [kind, paise] = [number % DECLINED_EVERY, 10_000 + (number % 90_000)]
  const capture = { kind: 'capture', reference: `P${number}`, paise } as const
  return kind === 0
    ? []
    : [capture, ...(kind === 1 ? [{ kind: 'refund', reference: `P${number}R01`, paise: 5000 } as const] : [])]
}

const REFUND = {
  ...{ amount: '50.00', currency: 'INR' as const, status: 'succeeded' as const, pending_reason: null, failure_code: null },
  ...{ rrn: null, sequence: 2, reason: 'other' as const, note: '' },
}

function exported({ total, merchantIds, startMs }: StoredPayments, number: number): ExportedPayment {
  const createdAt = new Date(startMs + Math.floor((number / total) * DAYS * DAY_MS))
  const [at, order_id] = [createdAt.toISOString(), `STORED-${number}`]
  const merchantId = merchantIds[number % merchantIds.length] ?? ''
  const movements = movementsOf(number)
  const [captures, refunds] = [movements.slice(0, 1), movements.slice(1)]
  const transaction_id = newTransactionId(createdAt, slotOfOrder(merchantId, order_id))
  const shared = { rrn: String(100_000_000_000 + number), method: number % 3 === 0 ? ('netbanking' as const) : ('upi' as const) }
  const refund = { ...REFUND, order_id, transaction_id, created_at: at, updated_at: at, completed_at: at }
  return {
    ...{ transaction_id, order_id, sequence: 2, version: 4, amount_paise: captures[0]?.paise ?? 10_000 },
    ...{ merchant_id: merchantId, ...shared },
    status: captures.length > 0 ? 'Success' : 'Failed',
    ...{ failure_reason: null, failure_code: null, payer_vpa: `payer${number % 5000}@okbank`, created_at: at, final_at: at },
    captures: captures.map(({ reference, paise }) => ({ reference, amount_paise: paise, accepted: true, ...shared, at })),
    reversals: [],
    refunds: refunds.map(({ reference: id }) => ({ ...refund, id, refund_id: id })),
    rrns: [shared.rrn],
  }
}

/** Indexes are built afterwards: that costs a fraction of changing them with each document. */
export async function fillLedger(db: mongo.Db, plan: StoredPayments, tell: (line: string) => void): Promise<void> {
  const [payments, entries] = [db.collection<{ _id: string }>('payments'), db.collection<{ _id: string }>('entries')]
  await Promise.all([payments, entries].map(dropIndexes))
  let next = 0
  const writer = async (): Promise<void> => {
    while (next < plan.total) {
      const [from, to] = [next, Math.min(next + BATCH, plan.total)]
      next = to
      const all = Array.from({ length: to - from }, (_, index) => exported(plan, from + index))
      const documents = all.map((one) => paymentOfExport(one, (_merchant, vpa) => `hash-of-${vpa}`).payment)
      await payments.insertMany(documents, { ordered: false })
      await entries.insertMany(all.flatMap(entriesOfExport).map(toEntryDocument), { ordered: false })
      if (to % 100_000 === 0) tell(`${to} payments stored`)
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, writer))
}

/** Partial indexes stay: the services look into them all the time, and few documents are in them. */
async function dropIndexes(collection: mongo.Collection<{ _id: string }>): Promise<void> {
  const indexes = await collection.indexes()
  const whole = indexes.filter(({ name, partialFilterExpression }) => name !== '_id_' && !partialFilterExpression)
  for (const { name = '' } of whole) await collection.dropIndex(name)
}
