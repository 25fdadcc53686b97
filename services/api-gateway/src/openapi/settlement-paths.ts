import {
  ENTRY_KINDS,
  ENTRY_STATUSES,
  listSettlementsSchema,
  PAYMENT_METHODS,
  SETTLEMENT_ID_SCHEMA,
  settlementLinesSchema,
  type SettlementLinesPage,
  type SettlementLineView,
  type SettlementsPage,
  type SettlementView,
} from '@gateway/contracts'
import { operation, parameter } from './operation.ts'
import { amount, integer, listOf, objectOf, text, textOrNull } from './schema-helpers.ts'

const tag = 'reports'
const nextCursor = { ...textOrNull, description: 'send it as cursor for the next page; null on the last one' }

const settlement = objectOf<SettlementView>({
  id: { ...text, description: "the bank's id of the settlement" },
  settled_on: { ...text, description: 'the day of the settlement, such as 2026-11-21' },
  utr: { ...textOrNull, description: "the bank's reference of the transfer" },
  lines: { ...integer, description: 'the number of its lines' },
  currency: { const: 'INR', description: 'INR' },
  credit: { ...text, description: 'the sum of all credits, in rupees' },
  debit: { ...text, description: 'the sum of all debits, in rupees' },
  fee: { ...text, description: 'the sum of all fees, in rupees' },
  tax: { ...text, description: 'the sum of all taxes on fees, in rupees' },
  net: { ...text, description: 'credit minus debit, fee and tax; begins with a minus sign when the bank took more than it paid' },
})

const line = objectOf<SettlementLineView>({
  kind: { enum: ENTRY_KINDS, description: `what was settled: one of ${ENTRY_KINDS.join(', ')}` },
  direction: { enum: ['credit', 'debit'], description: 'credit: for the merchant; debit: from the merchant' },
  reference: { ...text, description: "the network's id of the payment; of a refund, the refund's id" },
  order_id: { ...text, description: 'the id that the merchant gave to the order' },
  transaction_id: { ...text, description: 'the id of its transaction' },
  rrn: { ...textOrNull, description: 'the retrieval reference number, once it is known' },
  method: { enum: [...PAYMENT_METHODS, null], description: 'the instrument that paid' },
  amount,
  fee: amount,
  tax: amount,
  currency: { const: 'INR', description: 'INR' },
  status: { enum: ENTRY_STATUSES, description: 'the status that the bank reports: pending, succeeded or failed' },
})

/** The operations on what the bank has settled. */
export const settlementPaths = {
  '/api/v1/settlements': {
    get: operation({
      id: 'listSettlements',
      summary: 'List settlements, newest first',
      tag,
      parameters: Object.entries(listSettlementsSchema.properties).map(([name, schema]) => parameter('query', name, schema)),
      responses: {
        200: objectOf<SettlementsPage>({
          data: objectOf<SettlementsPage['data']>({ settlements: listOf(settlement) }),
          next_cursor: nextCursor,
        }),
      },
      refusals: [404, 422],
    }),
  },
  '/api/v1/settlements/{id}/lines': {
    get: operation({
      id: 'listSettlementLines',
      summary: 'List what a settlement consists of',
      tag,
      parameters: [
        parameter('path', 'id', { ...SETTLEMENT_ID_SCHEMA, description: 'the id of a settlement' }),
        ...Object.entries(settlementLinesSchema.properties).map(([name, schema]) => parameter('query', name, schema)),
      ],
      responses: {
        200: objectOf<SettlementLinesPage>({
          data: objectOf<SettlementLinesPage['data']>({ lines: listOf(line) }),
          next_cursor: nextCursor,
        }),
      },
      refusals: [404, 422],
    }),
  },
}
