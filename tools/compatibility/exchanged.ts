/** Everything that services send one another, by name and version. A changed shape is a new version beside the old one. */
import {
  customersRequestSchema,
  customersResponseSchema,
  enquiryResponseSchema,
  exchangedTokenSchema,
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

export type Exchanged = Readonly<Record<string, JsonSchema>>

export const EXCHANGED: Exchanged = {
  'event order.created 1': orderCreatedSchema,
  'event transaction.status-changed 1': transactionStatusChangedSchema,
  'internal exchanged-token 1': exchangedTokenSchema,
  'internal revocations 1': revocationsSchema,
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
