/** What operators do: audit, lists, retired queues. */
export { noTransitions, paymentStatusTransitions } from './clients/payment-status.ts'
export { operatorRoutes } from './http/operator-routes.ts'
export { mongoDelayQueues, type DelayQueues } from './persistence/delay-queues.ts'
export { makeAuditDeliveries } from './use-cases/audit-deliveries.ts'
export { makeListDisabledEndpoints } from './use-cases/list-disabled-endpoints.ts'
export { makeRetiredQueues, type RetiredQueues } from './use-cases/retired-queues.ts'
