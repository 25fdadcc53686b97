import type { AttemptView, TransactionView } from '@gateway/contracts'
import { FAILURE_REASONS } from '@gateway/contracts'
import { pageKey, pageState, remainingMs } from './page-state.ts'
import { returnLink } from './return-link.ts'

const noon = new Date('2026-01-01T12:00:00Z')
const attempt: AttemptView = {
  id: 'a1',
  method: 'upi',
  status: 'open',
  failure_reason: null,
  failure_code: null,
  rrn: null,
  reference: null,
  started_at: noon.toISOString(),
  ended_at: null,
}
const declined: AttemptView = { ...attempt, status: 'failed', failure_reason: 'declined' }
const view: TransactionView = {
  id: 'T1',
  order_id: 'ORD-1001',
  merchant: { id: 'M1', name: 'Asha & Sons' },
  status: 'Initiate',
  amount: '499.00',
  currency: 'INR',
  description: 'Blue shirt',
  methods: ['upi', 'card'],
  method: null,
  rrn: null,
  failure_reason: null,
  attempts: [],
  attempts_left: 1,
  payable: true,
  closing: null,
  return_url: 'https://shop.example/back?cart=7',
  sequence: 1,
  version: 1,
  created_at: noon.toISOString(),
  expires_at: '2026-01-01T12:20:00Z',
  checkout: { url: '', intent: 'upi://pay?tr=T1' },
}

const intent = 'upi://pay?tr=T1'
const noUpi = { url: '', intent: '' }

test.each<[string, Partial<TransactionView>, object]>([
  ['a new order', {}, { kind: 'choose', methods: ['upi', 'card'], intent, earlierFailure: null, attemptsSoFar: 0 }],
  [
    'an order after a decline',
    { status: 'Pending', attempts: [declined] },
    { kind: 'choose', earlierFailure: { reason: 'declined', code: null }, lastMethod: 'upi' },
  ],
  [
    'an order after a decline of a card, with a reason',
    { status: 'Pending', attempts: [{ ...declined, method: 'debit_card', failure_code: 'insufficient_funds' }] },
    { kind: 'choose', earlierFailure: { reason: 'declined', code: 'insufficient_funds' }, lastMethod: 'card' },
  ],
  [
    'an order after "another way"',
    { status: 'Pending', attempts: [{ ...attempt, status: 'abandoned' }] },
    { kind: 'choose', earlierFailure: null, attemptsSoFar: 1, lastMethod: null },
  ],
  [
    'an open attempt, with none left',
    { status: 'Pending', attempts: [attempt], attempts_left: 0, payable: false },
    { kind: 'waiting', attempt: { id: 'a1', method: 'upi' }, canSwitch: false },
  ],
  ['an open attempt, with others left', { status: 'Pending', attempts: [attempt] }, { kind: 'waiting', canSwitch: true }],
  [
    'pending without an open attempt',
    { status: 'Pending', payable: false },
    { kind: 'waiting', attempt: null, canSwitch: false },
  ],
  ['no UPI link', { checkout: noUpi }, { kind: 'choose', methods: ['card'], intent: null }],
  ['a link that is not a UPI link', { checkout: { url: '', intent: 'javascript:alert(1)' } }, { kind: 'choose', intent: null }],
  ['UPI only, and no link', { methods: ['upi'], checkout: noUpi }, { kind: 'no_method' }],
  ['cancelled, not final yet', { closing: 'cancelled' }, { kind: 'closing', why: 'cancelled' }],
  ['expired, not final yet', { closing: 'expired' }, { kind: 'closing', why: 'expired' }],
  ['cancelled while an attempt is open', { closing: 'cancelled', attempts: [attempt] }, { kind: 'closing', why: 'cancelled' }],
  ['past its expiry, not closed yet', { expires_at: '2026-01-01T12:00:00Z' }, { kind: 'closing', why: 'expired' }],
  ['paid', { status: 'Success', closing: 'expired' }, { kind: 'success' }],
  ['failed', { status: 'Failed', failure_reason: 'expired' }, { kind: 'failed', reason: 'expired', code: null }],
  [
    'failed by a decline, with a reason',
    { status: 'Failed', failure_reason: 'declined', attempts: [{ ...declined, failure_code: 'insufficient_funds' }, attempt] },
    { kind: 'failed', reason: 'declined', code: 'insufficient_funds' },
  ],
])('%s', (_name, fields, state) => {
  expect(pageState({ ...view, ...fields }, noon)).toMatchObject(state)
})

test('states that look different have different keys', () => {
  const fields: Partial<TransactionView>[] = [
    {},
    { attempts: [declined] },
    { attempts: [declined, declined] },
    { attempts: [{ ...attempt, status: 'abandoned' }] },
    { attempts: [attempt], attempts_left: 0 },
    { attempts: [attempt], attempts_left: 1 },
    { attempts: [{ ...attempt, id: 'a2' }], attempts_left: 1 },
    { status: 'Pending', payable: false },
    { methods: ['upi'], checkout: null },
    { closing: 'cancelled' },
    { closing: 'expired' },
    { status: 'Success' },
    ...[...FAILURE_REASONS, null].map((reason) => ({ status: 'Failed' as const, failure_reason: reason })),
  ]
  const keys = fields.map((changed) => pageKey(pageState({ ...view, ...changed }, noon)))
  expect(new Set(keys).size).toBe(fields.length)
})

// Proves: page/own-return-parameters-survive
test.each([
  ['https://shop.example', 'https://shop.example?order_id=ORD-1001&status=Success'],
  ['https://shop.example/back?', 'https://shop.example/back?order_id=ORD-1001&status=Success'],
  ['https://shop.example/back?cart=7', 'https://shop.example/back?cart=7&order_id=ORD-1001&status=Success'],
  ['https://shop.example/back?cart=7&', 'https://shop.example/back?cart=7&order_id=ORD-1001&status=Success'],
  ['https://shop.example/?status=open', 'https://shop.example/?status=open&order_id=ORD-1001&payment_status=Success'],
  [
    'https://shop.example/?order_id=7&status=a&status=b',
    'https://shop.example/?order_id=7&status=a&status=b&payment_order_id=ORD-1001&payment_status=Success',
  ],
  [
    'https://shop.example/?status=a&payment_status=b',
    'https://shop.example/?status=a&payment_status=b&order_id=ORD-1001&payment_payment_status=Success',
  ],
  ['https://shop.example/?Status=a', 'https://shop.example/?Status=a&order_id=ORD-1001&payment_status=Success'],
  ['https://shop.example/?order.id[]=a', 'https://shop.example/?order.id[]=a&payment_order_id=ORD-1001&status=Success'],
  ['https://shop.example/#/cart?status=a', 'https://shop.example/?order_id=ORD-1001&status=Success#/cart?status=a'],
  [
    'https://shop.example/a%2Fb/?sig=a%2Fb~c%20d+e&flag&order%5Fid=1#cart#7',
    'https://shop.example/a%2Fb/?sig=a%2Fb~c%20d+e&flag&order%5Fid=1&payment_order_id=ORD-1001&status=Success#cart#7',
  ],
])('the way back to %s is %s: order and status as a hint, and all that is the merchant’s own', (return_url, link) => {
  expect(returnLink({ ...view, return_url, status: 'Success' })).toBe(link)
})

test('without a web address there is no way back', () => {
  for (const return_url of [null, 'javascript:alert(1)', 'shop'])
    expect(returnLink({ ...view, return_url, status: 'Success' })).toBeUndefined()
})

test('no time is left after the expiry', () => {
  expect(remainingMs(view, noon)).toBe(1_200_000)
  expect(remainingMs(view, new Date('2026-01-02'))).toBe(0)
})
