/** Written by `npm run sdk:types` from the gateway's operations. Do not edit. */
import type { Operation } from '../http/transport.ts'

export const OPERATIONS = {
  createOrder: { method: 'POST', path: '/api/v1/orders/create', repeatable: true },
  searchOrder: { method: 'POST', path: '/api/v1/order/search', repeatable: true },
  listOrders: { method: 'GET', path: '/api/v1/orders', repeatable: true },
  readTimeline: { method: 'GET', path: '/api/v1/orders/{id}/timeline', repeatable: true },
  listDowntimes: { method: 'GET', path: '/api/v1/downtimes', repeatable: true },
  readDailyReport: { method: 'GET', path: '/api/v1/reports/daily', repeatable: true },
  listSettlements: { method: 'GET', path: '/api/v1/settlements', repeatable: true },
  listSettlementLines: { method: 'GET', path: '/api/v1/settlements/{id}/lines', repeatable: true },
  listRefunds: { method: 'GET', path: '/api/v1/refunds', repeatable: true },
  createRefund: { method: 'POST', path: '/api/v1/refunds', repeatable: true },
  findRefund: { method: 'GET', path: '/api/v1/refunds/{id}', repeatable: true },
  registerEndpoint: { method: 'PUT', path: '/api/v1/webhooks/endpoint', repeatable: true },
  readEndpoint: { method: 'GET', path: '/api/v1/webhooks/endpoint', repeatable: true },
  enableEndpoint: { method: 'POST', path: '/api/v1/webhooks/endpoint/enable', repeatable: true },
  rotateSecret: { method: 'POST', path: '/api/v1/webhooks/endpoint/rotate-secret', repeatable: false },
  registerRefundEndpoint: { method: 'PUT', path: '/api/v1/webhooks/refund-endpoint', repeatable: true },
  readRefundEndpoint: { method: 'GET', path: '/api/v1/webhooks/refund-endpoint', repeatable: true },
  enableRefundEndpoint: { method: 'POST', path: '/api/v1/webhooks/refund-endpoint/enable', repeatable: true },
  rotateRefundSecret: { method: 'POST', path: '/api/v1/webhooks/refund-endpoint/rotate-secret', repeatable: false },
  sendTestEvent: { method: 'POST', path: '/api/v1/webhooks/test', repeatable: false, extraTimeoutMs: 15000 },
  listDeliveries: { method: 'GET', path: '/api/v1/webhooks/deliveries', repeatable: true },
  recoverDeliveries: { method: 'POST', path: '/api/v1/webhooks/deliveries/recover', repeatable: true, extraTimeoutMs: 15000 },
  resendDelivery: { method: 'POST', path: '/api/v1/webhooks/deliveries/{id}/resend', repeatable: false },
  simulate: { method: 'POST', path: '/api/v1/sandbox/simulate', repeatable: false },
} as const satisfies Readonly<Record<string, Operation>>
