export { Gateway, type GatewayOptions } from './gateway.ts'
export type { Clock } from './clock.ts'
export type { Credentials } from './http/token.ts'
export { describeNetworkError } from './http/network-errors.ts'
export type { AppInfo } from './http/user-agent.ts'
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
export type { Page, Paged } from './paged.ts'
export type { Deliveries, RecoverOptions } from './resources/deliveries.ts'
export type { EndpointCalls, RefundEndpointCalls } from './resources/endpoint.ts'
export type { Downtimes } from './resources/downtimes.ts'
export { isFinal, type Orders, type WaitOptions } from './resources/orders.ts'
export type { Refunds } from './resources/refunds.ts'
export type { Reports } from './resources/reports.ts'
export type { Sandbox } from './resources/sandbox.ts'
export type { Settlements } from './resources/settlements.ts'
export { createReceiver, type Receiver, type ReceiverOptions, type ReceiverStatus } from './receiver/receiver.ts'
export { memoryStore, type ReceiverStore } from './receiver/store.ts'
export * from './generated/types.ts'
export * from './open.ts'
export type { WebhookHeaders } from './webhooks/headers.ts'
export { sign, type SignedHeaders, type SignOptions } from './webhooks/sign.ts'
export type { WebhookSecrets } from './webhooks/secret.ts'
export type { RawBody, VerifyOptions } from './webhooks/signature.ts'
export { verify, type WebhookEvent } from './webhooks/verify.ts'
export { verifyRefund, type RefundWebhookEvent } from './webhooks/verify-refund.ts'
export { VERSION } from './version.ts'
