import { REFUND_STATUSES } from '../refund.ts'
import { closed, ledgerPageOf, listOf } from '../schema-parts.ts'
import { compile, type FromSchema } from '../schema.ts'
import { ORDER_ID_SCHEMA } from './create-order.ts'
import { commonFilters, RRN_SCHEMA } from './list-orders.ts'
import { refundViewSchema } from './refunds.ts'

/** The query parameters of `GET /api/v1/refunds`, which are all text. */
export const listRefundsSchema = closed({
  properties: {
    ...commonFilters('refunds'),
    status: { enum: REFUND_STATUSES, description: `one of ${REFUND_STATUSES.join(', ')}` },
    refund_id: { ...ORDER_ID_SCHEMA, description: "the merchant's own id of the refund, which is unique per order" },
    rrn: { ...RRN_SCHEMA, description: 'the retrieval reference number of the refund' },
  },
})
export type ListRefundsQuery = FromSchema<typeof listRefundsSchema>
export const listRefundsQuery = compile(listRefundsSchema)

export const refundsPageSchema = ledgerPageOf({ refunds: listOf(refundViewSchema) })
export type RefundsPage = FromSchema<typeof refundsPageSchema>
