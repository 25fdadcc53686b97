import * as contracts from '@gateway/contracts'
import type { JsonSchema } from '@gateway/contracts'

/** One type of the SDK: its schema, and how it is written down. */
export interface Shape {
  readonly schema: JsonSchema
  /**
   * `request`: lists of texts are closed. `query`: a request in the address, without `cursor`. `answer`: lists of texts are open,
   * since later versions of the API may add some.
   */
  readonly kind: 'request' | 'query' | 'answer'
  readonly meaning: string
  /** Another shape, whose fields this one has, too. */
  readonly base?: string
}

/** The named lists of texts. An open one is `Open<…>` wherever it is used. */
export const LISTS: Readonly<Record<string, { readonly values: readonly string[]; readonly open?: boolean }>> = {
  OrderMethod: { values: contracts.ORDER_METHODS },
  TransactionStatus: { values: contracts.TRANSACTION_STATUSES, open: true },
  PaymentMethod: { values: contracts.PAYMENT_METHODS, open: true },
  FailureReason: { values: contracts.FAILURE_REASONS, open: true },
  FailureCode: { values: contracts.FAILURE_CODES, open: true },
  SimulatedOutcome: { values: contracts.SIMULATED_OUTCOMES },
  ResendTarget: { values: contracts.RESEND_TARGETS },
  AttemptError: { values: [...contracts.ATTEMPT_ERRORS.keys()] },
  AddressKind: { values: Object.keys(contracts.ADDRESS_KINDS) },
  ProblemCode: { values: contracts.PUBLIC_PROBLEM_CODES },
}

/** What the SDK returns of an answer: `data`, without the object around it. */
const dataOf = (answer: { readonly properties: { readonly data: JsonSchema } }): JsonSchema => answer.properties.data

interface ObjectSchema extends JsonSchema {
  readonly required: readonly string[]
  readonly properties: Readonly<Record<string, JsonSchema>>
}

/** The fields of `data` beside the other fields of the answer. */
function flat({
  properties: { data, ...others },
}: ObjectSchema & { readonly properties: { readonly data: ObjectSchema } }): JsonSchema {
  return { type: 'object', required: [...data.required, ...Object.keys(others)], properties: { ...data.properties, ...others } }
}

const shape =
  (kind: Shape['kind']) =>
  (schema: JsonSchema, meaning: string): Shape => ({ schema, kind, meaning })
const [request, query, answer] = [shape('request'), shape('query'), shape('answer')]

/** Every type that is made from a schema, by its name. A schema within another one gets its name, too. */
export const SHAPES: Readonly<Record<string, Shape>> = {
  NewOrder: request(contracts.createOrderSchema({ sandbox: true }), 'What `orders.create` sends.'),
  CheckoutLinks: answer(contracts.checkoutLinksSchema, 'Where the shopper pays.'),
  CreatedOrder: answer(flat(contracts.createOrderResponseSchema), 'The answer to `orders.create`.'),
  Attempt: answer(contracts.attemptViewSchema, 'One payment that was tried.'),
  Reversal: answer(contracts.reversalViewSchema, 'Money that goes back to the shopper because the order could not accept it.'),
  NewRefund: request(contracts.createRefundSchema, 'What `refunds.create` sends.'),
  Refund: answer(contracts.refundViewSchema, "Money of the payment that goes back at the merchant's wish."),
  Order: answer(
    flat(contracts.searchOrderResponseSchema),
    'An order with its transaction: the truth about a payment. Confirm every webhook with it.',
  ),
  OrdersQuery: query(contracts.listOrdersSchema, 'Filters for a list of orders. Without a filter, every order is listed.'),
  ListedOrder: answer(contracts.listedOrderSchema, 'One order in a list.'),
  RefundsQuery: query(contracts.listRefundsSchema, 'Filters for a list of refunds. Without a filter, every refund is listed.'),
  TimelineEvent: answer(contracts.timelineEventSchema, 'Something that happened to an order.'),
  Timeline: answer(
    flat(contracts.timelineResponseSchema),
    'Everything that happened to an order, in the order in which it happened.',
  ),
  Downtime: answer(contracts.downtimeViewSchema, 'What does not work at a bank or a network.'),
  SettlementsQuery: query(
    contracts.listSettlementsSchema,
    'Filters for a list of settlements. Without a filter, every settlement is listed.',
  ),
  Settlement: answer(
    contracts.settlementViewSchema,
    'What the bank paid to you, or took, in one transfer. Lines that failed are not in the sums.',
  ),
  SettlementLine: answer(contracts.settlementLineViewSchema, 'One movement of money in a settlement, as the bank settled it.'),
  Endpoint: answer(dataOf(contracts.endpointResponseSchema), 'Where the gateway sends webhooks.'),
  RegisteredEndpoint: {
    ...answer(dataOf(contracts.registeredEndpointResponseSchema), 'The answer to `endpoint.register`.'),
    base: 'Endpoint',
  },
  RotatedSecret: answer(dataOf(contracts.rotatedSecretResponseSchema), 'The answer to `endpoint.rotateSecret`.'),
  TestResult: answer(dataOf(contracts.testEventResponseSchema), 'How the endpoint answered a test webhook.'),
  DeliveriesQuery: query(contracts.listDeliveriesSchema, 'Filters for a list of deliveries.'),
  DeliveryAttempt: answer(contracts.deliveryAttemptSchema, 'One attempt to deliver a webhook.'),
  Delivery: answer(contracts.deliverySchema, 'One webhook and every attempt to deliver it.'),
  Recovered: answer(dataOf(contracts.recoveredResponseSchema), 'What `deliveries.recover` did.'),
  WebhookPayload: answer(contracts.webhookPayloadSchema, 'The body of a webhook of a payment. All values are texts.'),
  RefundWebhookPayload: answer(contracts.refundWebhookPayloadSchema, 'The body of a webhook of a refund.'),
  SimulateOptions: request(contracts.simulateSchema, 'What `sandbox.simulate` sends.'),
  Simulation: answer(dataOf(contracts.simulateResponseSchema), 'The simulation has started.'),
}
