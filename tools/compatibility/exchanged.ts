/** Every message that services send one another, by name and version, and which changes to it break a reader. */
import * as contracts from '@gateway/contracts'
import { refusals } from './accepts.ts'

export interface Exchanged {
  /** What the sender of each message may write. */
  readonly schemas: Readonly<Record<string, contracts.JsonSchema>>
}

export const EXCHANGED: Exchanged = {
  schemas: {
    'event order.created 1': contracts.orderCreatedSchema,
    'event transaction.status-changed 1': contracts.transactionStatusChangedSchema,
    'event refund.status-changed 1': contracts.refundStatusChangedSchema,
    'event reversal.status-changed 1': contracts.reversalStatusChangedSchema,
    'internal exchanged-tokens 1': contracts.exchangedTokensSchema,
    'internal revocations 1': contracts.revocationsSchema,
    'internal order 1': contracts.internalOrderSchema,
    'internal customers-request 1': contracts.ordersByTransactionSchema,
    'internal customers 1': contracts.customersResponseSchema,
    'internal transaction-view 1': contracts.transactionViewSchema,
    'internal transitions-query 1': contracts.transitionsQuerySchema,
    'internal transitions 1': contracts.transitionsPageSchema,
    'network start-payment 1': contracts.startPaymentSchema,
    'network start-payment-response 1': contracts.startPaymentResponseSchema,
    'network report 1': contracts.networkReportSchema,
    'network enquiry-response 1': contracts.enquiryResponseSchema,
    'network reversal 1': contracts.reversalRequestSchema,
    'network reversal-response 1': contracts.reversalResponseSchema,
    'network capabilities 1': contracts.capabilitiesSchema,
    'network downtimes 1': contracts.downtimesSchema,
    'network intent 1': contracts.intentRequestSchema,
    'network intent-response 1': contracts.intentResponseSchema,
    'network refund 1': contracts.networkRefundRequestSchema,
    'network refund-report 1': contracts.refundReportSchema,
    'network refund-enquiry 1': contracts.refundEnquirySchema,
  },
}

/**
 * What breaks when services of `then` and of `now` run side by side, in both directions; each entry begins with the message's
 * name. A new message breaks nothing here: `npm run compat` runs the services and shows that none gets a message it cannot read.
 */
export function breaks(then: Exchanged, now: Exchanged): string[] {
  return Object.entries(then.schemas).flatMap(([name, old]) => {
    const current = now.schemas[name]
    if (!current) return [`${name}: it was removed, and services of then still send or expect it`]
    return [
      ...refusals(current, readerOf(name, then)).map((why) => `${name}, written now, read then: ${why}`),
      ...refusals(old, readerOf(name, now)).map((why) => `${name}, written then, read now: ${why}`),
    ]
  })
}

/** Readers of events, and of an order in place of its event, ignore fields that the schema does not name. Senders write no others. */
function readerOf(name: string, { schemas }: Exchanged): contracts.JsonSchema {
  const schema = schemas[name] ?? {}
  return name.startsWith('event ') || name === 'internal order 1' ? contracts.ignoringUnknownFields(schema) : schema
}
