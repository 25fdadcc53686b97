/** One run: a database with due transactions, replicas that share them, and what they cost. */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { mongo } from 'mongoose'
import { newTransactionId, slotOfOrder } from '@gateway/contracts'
import { silentLog } from '@gateway/service-kit'
import { buildIndexes } from '@gateway/service-kit/mongo'
import { processorMs } from '@gateway-infra/system/processes'
import { applyReport } from '@gateway-services/payment-status/payments/domain/reports'
import { openTransaction, unchanged } from '@gateway-services/payment-status/payments/domain/transition'
import {
  indexesOf,
  toDocument,
  type TransactionDocument,
} from '@gateway-services/payment-status/payments/persistence/transaction-document'
import type { Program } from '@gateway-tools/load/program'
import { sum } from '@gateway-tools/load/statistics'
import type { ReplicaFunctions } from './replica.ts'

export interface World {
  readonly mongoUrl: string
  readonly replicas: readonly Program<ReplicaFunctions>[]
  readonly databasePids: readonly number[]
}

/** `lost`: due transactions without exactly one change; `twice`: those that more than one replica handled. Times are per claim. */
export type Run = Awaited<ReturnType<typeof runOnce>>

const POLL_MS = 20
const ENDS_WITHIN_MS = 180_000
const INSERTED_AT_ONCE = 500

/** Fills a database of its own with `due` transactions, and lets so many replicas handle them. */
export async function runOnce(
  { mongoUrl, replicas, databasePids }: World,
  { replicas: count, due }: { replicas: number; due: number },
) {
  const name = `due${randomBytes(5).toString('hex')}`
  const client = await new mongo.MongoClient(mongoUrl).connect()
  const collection = client.db(name).collection<TransactionDocument>('transactions')
  try {
    await buildIndexes({ mongoUrl, database: name }, indexesOf, silentLog)
    const version = await fill(collection, due)
    const used = replicas.slice(0, count)
    const engineBeforeMs = processorMs(databasePids)
    await Promise.all(used.map((replica) => replica.call('start', mongoUrl, name)))
    await untilHandled(used, due)
    const engineMs = processorMs(databasePids) - engineBeforeMs
    const runs = await Promise.all(used.map((replica) => replica.call('stop')))
    const handled = runs.flatMap((run) => run.handled)
    const changedOnce = await collection.countDocuments({ version: version + 1, due_at: { $exists: false } })
    const replicasMs = sum(runs.map((run) => run.cpuMs))
    const elapsedMs = Math.max(...runs.map((run) => run.lastMs)) - Math.min(...runs.map((run) => run.startedMs))
    return {
      replicas: count,
      perSecond: (handled.length * 1000) / elapsedMs,
      ...{ cpuMs: (replicasMs + engineMs) / due, replicasMs: replicasMs / due, engineMs: engineMs / due },
      looks: sum(runs.map((run) => run.looks)),
      ...{ tried: sum(runs.map((run) => run.tried)), won: sum(runs.map((run) => run.won)) },
      lost: due - changedOnce,
      twice: handled.length - new Set(handled).size + sum(runs.map((run) => run.overtaken)),
      failures: runs.flatMap((run) => run.failures),
    }
  } finally {
    await client.db(name).dropDatabase()
    await client.close()
  }
}

/** Asks the replicas, which costs the database nothing. After the deadline, what is missing counts as lost. */
async function untilHandled(replicas: World['replicas'], due: number): Promise<void> {
  const deadlineMs = Date.now() + ENDS_WITHIN_MS
  while (Date.now() < deadlineMs) {
    const counts = await Promise.all(replicas.map((replica) => replica.call('handled')))
    if (sum(counts) >= due) return
    await sleep(POLL_MS)
  }
}

/** Stores payments whose last enquiry is due, one after the other; resolves to their version. */
async function fill(collection: mongo.Collection<TransactionDocument>, due: number): Promise<number> {
  const documents = Array.from({ length: due }, (_, number) => dueDocument(number))
  for (let from = 0; from < due; from += INSERTED_AT_ONCE)
    await collection.insertMany(documents.slice(from, from + INSERTED_AT_ONCE), { ordered: false })
  return documents[0]?.version ?? NaN
}

const HOUR_MS = 3_600_000
const MERCHANT = { id: 'M1', name: 'Blue Shirts', vpa: 'blue@okbank', mcc: '5651' }
/** A final payment is asked about again at once. */
const TIMING = {
  ...{ enquiryDelaysMs: [10_000], enquiryGraceMs: 90_000, enquiryGiveUpMs: 86_400_000 },
  ...{ finalEnquiryDelaysMs: [0], reversalDelaysMs: [1000], refundDelaysMs: [1000] },
}

/** A UPI payment that was paid an hour ago, and `number` milliseconds. */
function dueDocument(number: number): TransactionDocument {
  const paidAt = new Date(Date.now() - HOUR_MS + number)
  const order_id = `ORD-${number}`
  const transaction_id = newTransactionId(paidAt, slotOfOrder(MERCHANT.id, order_id))
  const created_at = paidAt.toISOString()
  const { transaction } = openTransaction({
    ...{ id: `${transaction_id}.0`, type: 'order.created', version: 1, occurred_at: created_at, correlation_id: `due-${number}` },
    data: {
      ...{ transaction_id, order_id, merchant: MERCHANT, amount_paise: 49_900, currency: 'INR' },
      ...{ description: 'Blue shirt', methods: ['upi'], max_attempts: 1, created_at },
      intent: `upi://pay?pa=${MERCHANT.vpa}&tr=${transaction_id}&am=499.00&cu=INR`,
      expires_at: new Date(paidAt.getTime() + HOUR_MS).toISOString(),
    },
  })
  const paid = { reference: `R${number}`, tr: transaction_id, outcome: 'success', amount: '499.00', method: 'upi' } as const
  const payer = { name: 'A Payer', vpa: 'payer@okbank' }
  return toDocument(unchanged(applyReport(transaction, { ...paid, rrn: '123456789012', payer }, paidAt, TIMING).transaction))
}
