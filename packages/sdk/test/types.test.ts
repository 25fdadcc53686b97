import type {
  CreateOrderRequest,
  CreateRefundRequest,
  ListedOrder as ListedOrderAnswer,
  RefundView,
  OrderTimeline,
  CreateOrderResponse,
  RegisteredEndpoint as RegisteredEndpointAnswer,
  RotatedSecret as RotatedSecretAnswer,
  SearchOrderResponse,
  SimulateRequest,
  SimulateResponse,
  WebhookDelivery,
  WebhookEndpoint,
} from '@gateway/contracts'
import type { WebhookPayload as SentPayload } from '@gateway-services/webhook-dispatcher/domain/payload'
import type {
  CreatedOrder,
  Delivery,
  Endpoint,
  ListedOrder,
  NewOrder,
  NewRefund,
  Open,
  Order,
  Refund,
  RefundWebhookEvent,
  RegisteredEndpoint,
  RotatedSecret,
  SimulateOptions,
  Simulation,
  Timeline,
  TransactionStatus,
  WebhookPayload,
} from '@gateway/sdk'

/** One object type instead of an intersection, at every level, so that equal shapes are equal types. */
type Plain<T> = T extends string
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Plain<Item>[]
    : T extends object
      ? { [Key in keyof T]: Plain<T[Key]> }
      : T

/** The same type as this package shows it: each list of texts is open for those of later versions. */
type Opened<T> = T extends string
  ? string extends T
    ? T
    : Open<T>
  : T extends readonly (infer Item)[]
    ? readonly Opened<Item>[]
    : T extends object
      ? { [Key in keyof T]: Opened<T[Key]> }
      : T

type Equal<A, B> = (<T>(one: T) => T extends A ? 1 : 2) extends <T>(one: T) => T extends B ? 1 : 2 ? true : false
type Answer<T extends { readonly data: object; readonly checkout: unknown }> = Opened<Plain<T['data'] & Pick<T, 'checkout'>>>

/** Compiles only when the types are equal. */
const isEqual = <A, B>(equal: Equal<A, B>): boolean => equal

// Proves: sdk/types-are-those-of-the-contracts
test('the types are those that the services answer with', () => {
  const equal = [
    isEqual<Plain<NewOrder>, Plain<CreateOrderRequest>>(true),
    isEqual<Plain<CreatedOrder>, Answer<CreateOrderResponse>>(true),
    isEqual<Plain<Order>, Answer<SearchOrderResponse>>(true),
    isEqual<Plain<NewRefund>, Plain<CreateRefundRequest>>(true),
    isEqual<Plain<Refund>, Opened<Plain<RefundView>>>(true),
    isEqual<Plain<RefundWebhookEvent['data']>, Opened<Plain<RefundView>>>(true),
    isEqual<RefundWebhookEvent['type'], Open<`refund.${RefundView['status']}`>>(true),
    isEqual<Plain<ListedOrder>, Opened<Plain<ListedOrderAnswer>>>(true),
    isEqual<Plain<Timeline['incomplete']>, Opened<Plain<OrderTimeline['incomplete']>>>(true),
    isEqual<Plain<SimulateOptions>, Plain<SimulateRequest>>(true),
    isEqual<Plain<Simulation>, Opened<Plain<SimulateResponse['data']>>>(true),
    isEqual<Plain<Endpoint>, Opened<Plain<WebhookEndpoint['data']>>>(true),
    isEqual<Plain<RegisteredEndpoint>, Opened<Plain<RegisteredEndpointAnswer['data']>>>(true),
    isEqual<RotatedSecret, RotatedSecretAnswer['data']>(true),
    isEqual<Plain<Delivery>, Opened<Plain<WebhookDelivery>>>(true),
    isEqual<Plain<Omit<WebhookPayload, 'status'>>, Plain<Omit<SentPayload, 'status'>>>(true),
    isEqual<WebhookPayload['status'], TransactionStatus>(true),
    // The comparison itself tells types apart.
    isEqual<Plain<Order>, Plain<CreatedOrder>>(false),
  ]
  expect(equal).toEqual([...Array<boolean>(17).fill(true), false])
})
