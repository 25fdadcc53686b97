/** What the gateway answers to the calls of `pgw`. */
export const searched = (status: string) => ({
  data: {
    order: { order_id: 'ORD-1' },
    transaction: {
      id: 'T1',
      status,
      amount: '499.00',
      currency: 'INR',
      method: null,
      rrn: null,
      failure_reason: null,
      failure_code: null,
      attempts: [],
      reversals: [],
      refunds: [],
      amount_refunded: '0.00',
      amount_refundable: '499.00',
      sequence: 1,
    },
  },
  checkout: null,
})
const DELIVERY = { id: 'D1', order_id: 'ORD-1', transaction_id: 'T1', sequence: 1, status: 'delivered', url: null, attempts: [] }

const LISTED = {
  created_at: '2026-01-31T00:00:00.000Z',
  order_id: 'ORD-1',
  status: 'Failed',
  amount: '499.00',
  method: 'upi',
  rrn: null,
  failure_code: 'risk',
  refund_state: 'none',
  amount_refunded: '0.00',
}
const REFUNDED = {
  ...{ ...LISTED, order_id: 'ORD-2', status: 'Success', rrn: '412345678901', failure_code: null },
  ...{ refund_state: 'partial', amount_refunded: '2.00' },
}
const TIMELINE = {
  data: { events: [{ at: '2026-01-31T00:00:00.000Z', kind: 'status.changed', sequence: 1, detail: { status: 'Initiate' } }] },
  incomplete: ['webhooks'],
}
const REFUND = {
  id: 'T1R01',
  refund_id: 'RF-1',
  order_id: 'ORD-1',
  amount: '2.00',
  status: 'pending',
  pending_reason: 'queued',
  failure_code: null,
}

const SETTLEMENT = { id: 'SET-1', settled_on: '2026-01-31', utr: 'UTR1', lines: 2, net: '497.82' }
const LINE = {
  ...{ kind: 'refund', direction: 'debit', order_id: 'ORD-1', amount: '2.00', fee: '0.00', tax: '0.00', status: 'succeeded' },
}
export const DOWNTIMES = [
  { method: 'upi', instrument: null, severity: 'high', began_at: '2026-01-31T00:00:00Z', ended_at: null },
  {
    method: 'netbanking',
    instrument: 'HDFC',
    severity: 'medium',
    began_at: '2026-01-31T00:00:00Z',
    ended_at: '2026-02-01T00:00:00Z',
  },
]

const refused = (status: number, code: string): [number, object] => [
  status,
  { status, code, detail: `refused: ${code}`, request_id: 'req-1' },
]

/** Status and body of the answer to one call; `id` is the order that the call names. */
export function answerTo(path: string, id: string): [number, object] {
  if (path.startsWith('/api/v1/webhooks/deliveries')) {
    const deliveries = Array.from({ length: 100 }, (_, index) => ({ ...DELIVERY, id: `D${index}` }))
    return [200, { data: { deliveries }, next_cursor: 'more' }]
  }
  if (path.startsWith('/api/v1/orders?')) {
    const orders = path.includes('status=Pending') ? [] : [path.includes('status=Success') ? REFUNDED : LISTED]
    return [200, { data: { orders }, next_cursor: null, as_of: LISTED.created_at }]
  }
  if (path === '/api/v1/orders/ORD-1/timeline') return [200, TIMELINE]
  if (path === '/api/v1/reports/daily?date=2026-11-21&format=json')
    return [200, { data: {}, end: { rows: 0, as_of: '2026-11-22T00:00:00.000Z', complete: true } }]
  if (path === '/api/v1/reports/daily?date=2026-11-22&format=json')
    return [200, { data: {}, end: { rows: 0, as_of: '2026-11-22T05:00:00.000Z', complete: false } }]
  if (path === '/api/v1/reports/daily?date=2026-11-23&format=json') return [200, { data: {} }]
  if (path.startsWith('/api/v1/settlements?')) return [200, { data: { settlements: [SETTLEMENT] }, next_cursor: null }]
  if (path.startsWith('/api/v1/settlements/SET-1/lines')) return [200, { data: { lines: [LINE] }, next_cursor: null }]
  if (path === '/api/v1/downtimes') return [200, { data: { downtimes: DOWNTIMES } }]
  if (path.startsWith('/api/v1/refunds?')) {
    const own = new URL(path, 'http://gateway').searchParams.get('refund_id') ?? 'RF-1'
    const refunds = { 'RF-1': [REFUND], 'RF-2': [REFUND, { ...REFUND, order_id: 'ORD-2' }] }[own] ?? []
    return [200, { data: { refunds }, next_cursor: null, as_of: LISTED.created_at }]
  }
  if (path === '/api/v1/refunds/T1R01' || path === '/api/v1/refunds/RF-2?order_id=ORD-1')
    return [200, { data: { refund: REFUND } }]
  if (path === '/api/v1/refunds') return [201, { data: { refund: REFUND } }]
  if (path.startsWith('/api/v1/refunds/')) return refused(404, 'refund_not_found')
  if (path.endsWith('/rotate-secret'))
    return [200, { data: { signing_secret: 'whsec_new', previous_secret_until: '2026-02-01T00:00:00.000Z' } }]
  if (path.endsWith('endpoint')) return refused(404, 'endpoint_not_found')
  if (path === '/api/v1/webhooks/test') return [200, { data: { status_code: 500, duration_ms: 3, error: null } }]
  if (id === 'NONE') return refused(404, 'order_not_found')
  if (id === 'EXPIRED') return refused(401, 'token_invalid')
  if (id === 'CONFLICT') return refused(409, 'order_id_conflict')
  if (id === 'DOWN') return refused(503, 'database_unavailable')
  if (id === 'REFUNDED') {
    const { data } = searched('Success')
    const refunds = { refunds: [REFUND], amount_refunded: '0.00', amount_refundable: '497.00' }
    return [200, { data: { ...data, transaction: { ...data.transaction, ...refunds } } }]
  }
  if (id === 'FAILED') return [200, searched('Failed')]
  return [200, searched(id === 'OPEN' ? 'Pending' : 'Success')]
}
