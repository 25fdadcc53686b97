/** Everything that services send one another, by name and version. */
import {
  customersRequestSchema,
  customersResponseSchema,
  enquiryResponseSchema,
  exchangedTokenSchema,
  ignoringUnknownFields,
  internalOrderSchema,
  networkReportSchema,
  orderCreatedSchema,
  reversalRequestSchema,
  reversalResponseSchema,
  revocationsSchema,
  startPaymentResponseSchema,
  startPaymentSchema,
  transactionStatusChangedSchema,
  transactionViewSchema,
  transitionsPageSchema,
  transitionsQuerySchema,
  type JsonSchema,
} from '@gateway/contracts'

export interface Exchanged {
  /** What the sender of each message may write. */
  readonly schemas: Readonly<Record<string, JsonSchema>>
  /** The messages whose readers ignore fields that their schema does not name, although the sender adds none. */
  readonly readers_ignore_unknown_fields: readonly string[]
}

const schemas: Exchanged['schemas'] = {
  'event order.created 1': orderCreatedSchema,
  'event transaction.status-changed 1': transactionStatusChangedSchema,
  'internal exchanged-token 1': exchangedTokenSchema,
  'internal revocations 1': revocationsSchema,
  'internal order 1': internalOrderSchema,
  'internal customers-request 1': customersRequestSchema,
  'internal customers 1': customersResponseSchema,
  'internal transaction-view 1': transactionViewSchema,
  'internal transitions-query 1': transitionsQuerySchema,
  'internal transitions 1': transitionsPageSchema,
  'network start-payment 1': startPaymentSchema,
  'network start-payment-response 1': startPaymentResponseSchema,
  'network report 1': networkReportSchema,
  'network enquiry-response 1': enquiryResponseSchema,
  'network reversal 1': reversalRequestSchema,
  'network reversal-response 1': reversalResponseSchema,
}

export const EXCHANGED: Exchanged = {
  schemas,
  readers_ignore_unknown_fields: ['event order.created 1', 'event transaction.status-changed 1', 'internal order 1'],
}

/** What the reader of a message takes. */
export function readerOf(name: string, { schemas: written, readers_ignore_unknown_fields: tolerant }: Exchanged): JsonSchema {
  const schema = written[name] ?? {}
  return tolerant.includes(name) ? ignoringUnknownFields(schema) : schema
}
