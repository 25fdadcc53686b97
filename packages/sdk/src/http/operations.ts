/** One operation of the public API, as the OpenAPI document has it; an end-to-end test compares the two. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  /** Sending the request twice has the effect of once (`x-repeatable`), so it may be retried after an unclear failure. */
  readonly repeatable: boolean
  /** Added to `timeoutMs` and `deadlineMs`, because the gateway itself waits for another party. */
  readonly extraTimeoutMs?: number
}

const WAITS_FOR_ENDPOINT_MS = 15_000

export const OPERATIONS = {
  createOrder: { method: 'POST', path: '/api/v1/orders/create', repeatable: true },
  listOrders: { method: 'GET', path: '/api/v1/orders', repeatable: true },
  readTimeline: { method: 'GET', path: '/api/v1/orders/{id}/timeline', repeatable: true },
  readDailyReport: { method: 'GET', path: '/api/v1/reports/daily', repeatable: true },
  listSettlements: { method: 'GET', path: '/api/v1/settlements', repeatable: true },
  listSettlementLines: { method: 'GET', path: '/api/v1/settlements/{id}/lines', repeatable: true },
  listRefunds: { method: 'GET', path: '/api/v1/refunds', repeatable: true },
  createRefund: { method: 'POST', path: '/api/v1/refunds', repeatable: true },
  findRefund: { method: 'GET', path: '/api/v1/refunds/{id}', repeatable: true },
  listDowntimes: { method: 'GET', path: '/api/v1/downtimes', repeatable: true },
  searchOrder: { method: 'POST', path: '/api/v1/order/search', repeatable: true },
  registerEndpoint: { method: 'PUT', path: '/api/v1/webhooks/endpoint', repeatable: true },
  readEndpoint: { method: 'GET', path: '/api/v1/webhooks/endpoint', repeatable: true },
  enableEndpoint: { method: 'POST', path: '/api/v1/webhooks/endpoint/enable', repeatable: true },
  rotateSecret: { method: 'POST', path: '/api/v1/webhooks/endpoint/rotate-secret', repeatable: false },
  registerRefundEndpoint: { method: 'PUT', path: '/api/v1/webhooks/refund-endpoint', repeatable: true },
  readRefundEndpoint: { method: 'GET', path: '/api/v1/webhooks/refund-endpoint', repeatable: true },
  enableRefundEndpoint: { method: 'POST', path: '/api/v1/webhooks/refund-endpoint/enable', repeatable: true },
  rotateRefundSecret: { method: 'POST', path: '/api/v1/webhooks/refund-endpoint/rotate-secret', repeatable: false },
  sendTestEvent: { method: 'POST', path: '/api/v1/webhooks/test', repeatable: false, extraTimeoutMs: WAITS_FOR_ENDPOINT_MS },
  listDeliveries: { method: 'GET', path: '/api/v1/webhooks/deliveries', repeatable: true },
  recoverDeliveries: {
    method: 'POST',
    path: '/api/v1/webhooks/deliveries/recover',
    repeatable: true,
    extraTimeoutMs: WAITS_FOR_ENDPOINT_MS,
  },
  resendDelivery: { method: 'POST', path: '/api/v1/webhooks/deliveries/{id}/resend', repeatable: false },
  simulate: { method: 'POST', path: '/api/v1/sandbox/simulate', repeatable: false },
} as const satisfies Readonly<Record<string, Operation>>
