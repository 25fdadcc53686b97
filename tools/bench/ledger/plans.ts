/** The ledger's queries, made by its own code, and the plans that the database has for them. */
import type { Connection } from 'mongoose'
import { mongoDifferences } from '@gateway-services/ledger/persistence/differences'
import { mongoEntries } from '@gateway-services/ledger/persistence/entries'
import { mongoReadChunk } from '@gateway-services/ledger/persistence/payment-lists'
import { mongoPayments } from '@gateway-services/ledger/persistence/payments'
import { mongoRefunds } from '@gateway-services/ledger/persistence/refunds'
import { mongoSettlements } from '@gateway-services/ledger/persistence/settlements'
import { explainAll, type HotQueries } from '../plans/explain.ts'

/** The names of queries that read without an index. */
export async function plansWithoutIndex(mongoUrl: string, database: string, merchantId: string): Promise<string[]> {
  const verdicts = await explainAll(mongoUrl, database, (connection) => queriesOf(connection, merchantId))
  return verdicts.filter(({ usesIndex }) => !usesIndex).map(({ name }) => name)
}

function queriesOf(connection: Connection, merchantId: string): HotQueries {
  const list = mongoReadChunk(connection)
  const [entries, differences] = [mongoEntries(connection), mongoDifferences(connection)]
  const [refunds, settlements] = [mongoRefunds(connection), mongoSettlements(connection)]
  const position = { before: '7ZZZZZZZZZZZZZZZZZZZZZZZZZ', widthMs: 3600_000 }
  const day = { from: new Date(0), to: new Date(), since: new Date(0), before: new Date(), merchantId }
  const conditions = [
    {},
    { status: 'Failed' },
    { refundState: 'full' },
    { orderId: 'X' },
    { rrn: 'X' },
    { payerHash: 'X' },
  ] as const
  return {
    ...Object.fromEntries(
      conditions.map((indexed) => [
        `orders ${JSON.stringify(indexed)}`,
        () => list({ merchantId, indexed }, position, { wanted: 21, examine: 100 }),
      ]),
    ),
    'order of a timeline': () => mongoPayments(connection).findByOrder(merchantId, 'X'),
    refunds: () => refunds.read({ merchantId }, undefined, 100),
    'refunds of an order': () => refunds.read({ merchantId, orderId: 'X' }, undefined, 100),
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
