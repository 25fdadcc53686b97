export { Gateway, type AppInfo, type GatewayOptions } from './gateway.ts'
export type { Clock } from './clock.ts'
export type { Credentials } from './http/token.ts'
export { describeNetworkError } from './http/network-errors.ts'
export {
  ApiError,
  ConnectionError,
  DuplicateInFlightError,
  GatewayError,
  SignatureError,
  TimeoutError,
  WaitTimeout,
  type FieldError,
  type SignatureErrorReason,
} from './errors.ts'
export type { Page, Paged } from './resources/answers.ts'
export type { Refunds, Reports, Settlements } from './resources/money.ts'
export { isFinal, type Orders, type WaitOptions } from './resources/orders.ts'
export type { Downtimes, Sandbox } from './resources/others.ts'
export type { Deliveries, EndpointCalls, RecoverOptions, RefundEndpointCalls } from './resources/webhooks.ts'
export { createReceiver, type Receiver, type ReceiverOptions, type ReceiverStatus } from './receiver/receiver.ts'
export { memoryStore, type ReceiverStore } from './receiver/store.ts'
export * from './generated/types.ts'
export * from './open.ts'
export type { WebhookHeaders } from './webhooks/headers.ts'
export { sign, type SignedHeaders, type SignOptions, type WebhookSecrets } from './webhooks/sign.ts'
export type { RawBody, VerifyOptions } from './webhooks/signature.ts'
export { verify, verifyRefund, type RefundWebhookEvent, type WebhookEvent } from './webhooks/verify.ts'
export { VERSION } from './version.ts'
