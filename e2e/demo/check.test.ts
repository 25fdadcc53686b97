import type { WebhookPayload } from '@gateway/contracts'
import { findProblems, type Evidence } from './check.ts'
import type { Scenario } from './scenarios.ts'

const scenario: Scenario = {
  name: 'retries',
  about: '',
  amount: '35.00',
  refusals: 1,
  expected: { statuses: ['Initiate', 'Success'], failureReason: null, reversal: null },
}
const metadata = { udf1: 'a', udf2: '', udf3: '' }
const payer = { name: 'Asha', vpa: 'asha@sandbox' }
const at = '2026-01-02T03:04:05.000Z'

function webhook(sequence: number, attempt: number): Evidence['webhooks'][number] {
  const isPaid = sequence === 2
  const payload: WebhookPayload = {
    txnid: 'T1',
    merchantTxnId: 'ORD-1',
    amount: '35.00',
    rrn: isPaid ? '123456789012' : '',
    status: isPaid ? 'Success' : 'Initiate',
    ...(isPaid && { payee: payer }),
    metadata,
    datetime: '2026-01-02 08:34:05',
  }
  const status = attempt === 1 ? 500 : 200
  const body = JSON.stringify(payload)
  return { id: `T1.${sequence}`, sequence, attempt, isAuthentic: true, payload, body, status, receivedAt: new Date(at) }
}

const delivery = (sequence: number) => ({
  sequence,
  status: 'delivered',
  attempts: [{ status_code: 500 }, { status_code: 200 }],
})

const good: Evidence = {
  order: { orderId: 'ORD-1', transactionId: 'T1', metadata },
  search: {
    transaction: {
      id: 'T1',
      status: 'Success',
      amount: '35.00',
      currency: 'INR',
      method: 'upi',
      rrn: '123456789012',
      failure_reason: null,
      failure_code: null,
      payer,
      attempts: [],
      reversals: [],
      refunds: [],
      amount_refunded: '0.00',
      amount_refundable: '35.00',
      sequence: 2,
      created_at: at,
      updated_at: at,
      expires_at: at,
    },
    checkout: null,
  },
  webhooks: [webhook(1, 1), webhook(2, 1), webhook(1, 2), webhook(2, 2)],
  deliveries: [delivery(2), delivery(1)],
  refundWebhooks: [],
}

const first = webhook(1, 1)
const transaction = good.search.transaction
const withTransaction = (changes: Partial<typeof transaction>): Evidence => ({
  ...good,
  search: { ...good.search, transaction: { ...transaction, ...changes } },
})

test('a payment that went as specified has no problems', () => {
  expect(findProblems(scenario, good)).toEqual([])
})

test('a failed payment may name its payer, but only the payer that search names', () => {
  const failed = (payee?: typeof payer): Evidence => ({
    ...withTransaction({
      status: 'Failed',
      rrn: null,
      failure_reason: 'declined',
      failure_code: 'payer_declined',
      amount_refundable: '0.00',
    }),
    webhooks: good.webhooks.map((sent) => {
      const { payee: _, ...payload } = sent.payload
      const body: WebhookPayload = {
        ...payload,
        rrn: '',
        status: sent.sequence === 2 ? 'Failed' : 'Initiate',
        ...(sent.sequence === 2 && payee && { payee }),
      }
      return { ...sent, payload: body, body: JSON.stringify(body) }
    }),
  })
  const declined: Scenario = {
    ...scenario,
    expected: { statuses: ['Initiate', 'Failed'], failureReason: 'declined', reversal: null },
  }
  expect(findProblems(declined, failed(payer))).toEqual([])
  expect(findProblems(declined, failed())).toEqual([])
  expect(findProblems(declined, failed({ ...payer, name: 'Ravi' }))).not.toEqual([])
})

test.each<[string, Evidence]>([
  ['a missing webhook', { ...good, webhooks: good.webhooks.filter(({ sequence }) => sequence !== 2) }],
  ['a missing attempt', { ...good, webhooks: good.webhooks.slice(0, 3) }],
  ['an extra attempt', { ...good, webhooks: [...good.webhooks, webhook(2, 2)] }],
  ['an extra status', { ...good, webhooks: [...good.webhooks, { ...webhook(2, 1), id: 'T1.3', sequence: 3 }] }],
  ['a wrong signature', { ...good, webhooks: good.webhooks.with(0, { ...first, isAuthentic: false }) }],
  ['other bytes on a retry', { ...good, webhooks: good.webhooks.with(0, { ...first, body: `${first.body} ` }) }],
  ['another rrn', { ...good, webhooks: good.webhooks.with(0, { ...first, payload: { ...first.payload, rrn: '1' } }) }],
  ['a delivery that is not finished', { ...good, deliveries: [delivery(2), { ...delivery(1), status: 'retrying' }] }],
  ['another final status', withTransaction({ status: 'Pending' })],
  ['a gap in the sequence', withTransaction({ sequence: 3 })],
  [
    'an unexpected reversal',
    withTransaction({
      reversals: [
        { reference: 'r', amount: '35.00', reason: 'late', status: 'succeeded', rrn: null, requested_at: at, completed_at: at },
      ],
    }),
  ],
])('%s is found', (_what, evidence) => {
  expect(findProblems(scenario, evidence)).not.toEqual([])
})

const view = (n: number, amount: string, status: 'pending' | 'succeeded' | 'failed') => ({
  id: `T1R0${n}`,
  refund_id: `RF-${n}`,
  order_id: 'ORD-1',
  transaction_id: 'T1',
  amount,
  currency: 'INR' as const,
  status,
  pending_reason: status === 'pending' ? ('queued' as const) : null,
  failure_code: null,
  rrn: null,
  sequence: status === 'pending' ? 1 : 2,
  reason: 'returned' as const,
  note: '',
  created_at: at,
  updated_at: at,
  completed_at: status === 'pending' ? null : at,
})
const refundWebhook = (data: ReturnType<typeof view>): Evidence['refundWebhooks'][number] => ({
  isAuthentic: true,
  payload: { type: `refund.${data.status}`, timestamp: at, data },
})
const refunding: Scenario = {
  ...scenario,
  refunds: [
    { amount: '20.00', ends: 'succeeded' },
    { amount: '15.00', ends: 'failed' },
    { amount: '16.00', ends: 'refund_exceeds_captured' },
  ],
}
const [paidBack, refused] = [view(1, '20.00', 'succeeded'), view(2, '15.00', 'failed')]
const refundWebhooks = [
  refundWebhook(view(1, '20.00', 'pending')),
  refundWebhook(paidBack),
  refundWebhook(view(2, '15.00', 'pending')),
  refundWebhook(refused),
]
const afterRefunds: Evidence = {
  ...withTransaction({ refunds: [paidBack, refused], amount_refunded: '20.00', amount_refundable: '15.00' }),
  refundWebhooks,
}

test('refunds that ended as expected are no problem', () => {
  expect(findProblems(refunding, afterRefunds)).toEqual([])
})

test.each<[string, Evidence]>([
  ['a missing webhook of a refund', { ...afterRefunds, refundWebhooks: refundWebhooks.slice(0, 3) }],
  ['a webhook of a refund that came twice', { ...afterRefunds, refundWebhooks: [...refundWebhooks, refundWebhook(refused)] }],
  [
    'a webhook of a refund with a wrong signature',
    { ...afterRefunds, refundWebhooks: refundWebhooks.map((sent) => ({ ...sent, isAuthentic: false })) },
  ],
  [
    'a webhook of a refund that differs from search',
    { ...afterRefunds, refundWebhooks: refundWebhooks.with(3, refundWebhook({ ...refused, amount: '1.00' })) },
  ],
  ['a wrong sum', { ...withTransaction({ refunds: [paidBack, refused], amount_refundable: '15.00' }), refundWebhooks }],
  ['a refund that search does not show', { ...good, refundWebhooks }],
])('%s is a problem', (_name, evidence) => {
  expect(findProblems(refunding, evidence)).not.toEqual([])
})
