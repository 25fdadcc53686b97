/** The ledger's queries, made by its own code, and the plans that the database has for them. */
import type { Connection } from 'mongoose'
import { mongoDifferences } from '@gateway-services/ledger/reconciliation/persistence/differences'
import { mongoEntries } from '@gateway-services/ledger/reconciliation/persistence/entries'
import { mongoReadPayments } from '@gateway-services/ledger/lists/persistence/payment-lists'
import { mongoPayments } from '@gateway-services/ledger/lists/persistence/payments'
import { mongoRefunds } from '@gateway-services/ledger/lists/persistence/refunds'
import { mongoSettlements } from '@gateway-services/ledger/reconciliation/persistence/settlements'
import { explainAll, type HotQueries } from '../plans/explain.ts'

/** The names of queries that read without an index. */
export async function plansWithoutIndex(mongoUrl: string, database: string, merchantId: string): Promise<string[]> {
  const verdicts = await explainAll(mongoUrl, database, (connection) => queriesOf(connection, merchantId))
  return verdicts.filter(({ usesIndex }) => !usesIndex).map(({ name }) => name)
}

function queriesOf(connection: Connection, merchantId: string): HotQueries {
  const list = mongoReadPayments(connection, { now: () => new Date(), examine: 100 })
  const [entries, differences] = [mongoEntries(connection), mongoDifferences(connection)]
  const [refunds, settlements] = [mongoRefunds(connection), mongoSettlements(connection)]
  const day = { from: new Date(0), to: new Date(), since: new Date(0), before: new Date(), merchantId }
  const conditions = [
    {},
    { status: 'Failed' },
    { refund_state: 'full' },
    { order_id: 'X' },
    { rrn: 'X' },
    { payer_hash: 'X' },
  ] as const
  return {
    ...Object.fromEntries(
      conditions.map((equal) => [`orders ${JSON.stringify(equal)}`, () => list({ merchantId, equal }, undefined, 20)]),
    ),
    'order of a timeline': () => mongoPayments(connection).findByOrder(merchantId, 'X'),
    refunds: () => refunds.list({ merchantId, equal: {} }, undefined, 100),
    'refunds of an order': () => refunds.list({ merchantId, equal: { order_id: 'X' } }, undefined, 100),
    report: () => entries.read.inAnyOrder(day, 100),
    'entries by key': () => entries.find(['capture:X']),
    'entries that wait': () => entries.waiting('capture', day, 100),
    'lines by key': () => settlements.findKept(['capture:X']),
    settlements: () => settlements.page(merchantId, {}, 20),
    'a settlement': () => settlements.find(merchantId, 'X'),
    'lines of a settlement': () => settlements.linesOf(`${merchantId}:X`, undefined, 20),
    differences: () => differences.page({ file: 'X', limit: 100 }),
  }
}
