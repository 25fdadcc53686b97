import { REFUND_STATUSES } from '../refund.ts'
import { closed, ledgerPageOf, listOf, time } from '../schema-parts.ts'
import { compile, type FromSchema } from '../schema.ts'
import { AMOUNT_SCHEMA, ORDER_ID_SCHEMA } from './create-order.ts'
import { PAGE_PROPERTIES, RRN_SCHEMA } from './list-orders.ts'
import { refundViewSchema } from './refunds.ts'

/** The query parameters of `GET /api/v1/refunds`, which are all text. */
export const listRefundsSchema = closed({
  properties: {
    from: {
      ...time,
      description: 'a time with its zone, such as 2026-11-21T10:00:00+05:30: refunds created then or later; not later than to',
    },
    to: { ...time, description: 'a time with its zone, such as 2026-11-21T10:00:00+05:30: refunds created before it' },
    status: { enum: REFUND_STATUSES, description: `one of ${REFUND_STATUSES.join(', ')}` },
    order_id: ORDER_ID_SCHEMA,
    refund_id: { ...ORDER_ID_SCHEMA, description: "the merchant's own id of the refund, which is unique per order" },
    rrn: { ...RRN_SCHEMA, description: 'the retrieval reference number of the refund' },
    amount_min: {
      ...AMOUNT_SCHEMA,
      description: 'rupees as text, such as "499.00": refunds of at least this amount; not more than amount_max',
    },
    amount_max: { ...AMOUNT_SCHEMA, description: 'rupees as text, such as "499.00": refunds of at most this amount' },
    ...PAGE_PROPERTIES,
  },
})
export type ListRefundsQuery = FromSchema<typeof listRefundsSchema>
export const listRefundsQuery = compile(listRefundsSchema)

export const refundsPageSchema = ledgerPageOf({ refunds: listOf(refundViewSchema) })
export type RefundsPage = FromSchema<typeof refundsPageSchema>
