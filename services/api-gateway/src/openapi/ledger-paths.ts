import {
  dailyReportSchema,
  ENTRY_KINDS,
  FAILURE_CODES,
  listOrdersSchema,
  ORDER_ID_SCHEMA,
  PAYMENT_METHODS,
  REFUND_STATES,
  TIMELINE_SOURCES,
  TRANSACTION_STATUSES,
  type DailyReport,
  type ListedOrder,
  type MoneyEvent,
  type OrdersPage,
  type OrderTimeline,
  type ReportEnd,
  type TimelineEvent,
} from '@gateway/contracts'
import { operation, parameter } from './operation.ts'
import { amount, integer, listOf, objectOf, text, textOrNull, time, timeOrNull } from './schema-helpers.ts'

const tag = 'orders'

const listedOrder = objectOf<ListedOrder>({
  order_id: { ...text, description: 'the id that the merchant gave to the order' },
  transaction_id: { ...text, description: 'the id of its transaction' },
  status: { enum: TRANSACTION_STATUSES, description: 'the status of the transaction' },
  sequence: { ...integer, description: 'the number of the latest status change, from 1' },
  amount: { ...text, description: 'rupees with two decimals' },
  currency: { const: 'INR', description: 'INR' },
  method: { enum: [...PAYMENT_METHODS, null], description: 'the instrument that paid, once it is known' },
  rrn: { ...textOrNull, description: 'the retrieval reference number, once it is known' },
  failure_code: { enum: [...FAILURE_CODES, null], description: 'why the network declined the payment; null when it did not' },
  refund_state: { enum: REFUND_STATES, description: 'how much of the payment was refunded' },
  amount_refunded: { ...text, description: 'rupees with two decimals' },
  created_at: { ...time, description: 'when the order was created' },
  final_at: { ...timeOrNull, description: 'when the status became final; null before' },
})

const ordersPage = objectOf<OrdersPage>({
  data: objectOf<OrdersPage['data']>({ orders: listOf(listedOrder) }),
  next_cursor: { ...textOrNull, description: 'send it as cursor for the next page; null on the last one' },
  as_of: { ...time, description: 'status changes that were published by this time are in the answer' },
})

const timelineEvent = objectOf<TimelineEvent>({
  at: { ...time, description: 'when it happened' },
  kind: {
    ...text,
    description: 'what happened, such as order.created, status.changed or webhook.attempt; later versions add some',
  },
  source: { enum: TIMELINE_SOURCES, description: 'the part of the gateway that recorded it' },
  sequence: { type: ['integer', 'null'], description: 'the number of the status change that it is about; null for other events' },
  detail: {
    type: 'object',
    additionalProperties: { type: ['string', 'integer', 'null'] },
    description: 'short facts by name, such as status or failure_code; later versions add some',
  },
})

const timeline = objectOf<OrderTimeline>({
  data: objectOf<OrderTimeline['data']>({ events: listOf(timelineEvent) }),
  incomplete: { ...listOf({ enum: TIMELINE_SOURCES }), description: 'the sources that cannot be read now' },
})

const moneyEvent = objectOf<MoneyEvent>({
  at: { ...time, description: 'when the money moved, in IST' },
  kind: { enum: ENTRY_KINDS, description: `the kind of movement: one of ${ENTRY_KINDS.join(', ')}` },
  direction: { enum: ['credit', 'debit'], description: 'credit: for the merchant; debit: from the merchant' },
  amount,
  currency: { const: 'INR', description: 'INR' },
  order_id: { ...text, description: 'the id that the merchant gave to the order' },
  transaction_id: { ...text, description: 'the id of its transaction' },
  reference: { ...text, description: "the network's id of the payment; of a refund, the refund's id" },
  rrn: { ...textOrNull, description: 'the retrieval reference number, once it is known' },
  method: { enum: [...PAYMENT_METHODS, null], description: 'the instrument that paid' },
})

const reportState = {
  as_of: { ...time, description: 'the report has every movement of money that was known by this time' },
  complete: {
    type: 'boolean',
    description: 'true when as_of is at least five minutes after the end of the day and nothing of it can be on its way',
  },
} as const

const dailyReport = objectOf<DailyReport>({
  data: objectOf<DailyReport['data']>({
    date: { ...text, description: 'the day in IST' },
    ...reportState,
    events: listOf(moneyEvent),
  }),
  end: objectOf<ReportEnd>({
    rows: { ...integer, description: 'the number of events' },
    credit: { ...text, description: 'the sum of all credits, in rupees' },
    debit: { ...text, description: 'the sum of all debits, in rupees' },
    ...reportState,
  }),
})

/** The operations of the ledger: a list of orders, what happened to one, and the money of a day. */
export const ledgerPaths = {
  '/api/v1/orders': {
    get: operation({
      id: 'listOrders',
      summary: 'List orders, newest first',
      tag,
      parameters: Object.entries(listOrdersSchema.properties).map(([name, schema]) => parameter('query', name, schema)),
      responses: { 200: ordersPage },
      refusals: [404, 422],
    }),
  },
  '/api/v1/reports/daily': {
    get: operation({
      id: 'readDailyReport',
      summary: 'Get every movement of money on one day',
      tag: 'reports',
      parameters: Object.entries(dailyReportSchema.properties).map(([name, schema]) =>
        parameter('query', name, schema, name === 'date'),
      ),
      responses: { 200: dailyReport },
      csv: 'The same events as a table (RFC 4180) with a line of column names; the last line is #end,rows,credit,debit,sha256,as_of,complete',
      refusals: [404, 422],
    }),
  },
  '/api/v1/orders/{id}/timeline': {
    get: operation({
      id: 'readTimeline',
      summary: 'Get what happened to an order, in order',
      tag,
      parameters: [parameter('path', 'id', ORDER_ID_SCHEMA)],
      responses: { 200: timeline },
      refusals: [404, 422],
    }),
  },
}
