import type { AttemptView, TransactionView } from '@gateway/contracts'
import { FAILURE_REASONS } from '@gateway/contracts'
import { keyOf, pageState, remainingMs } from './page-state.ts'
import { returnLink } from './return-link.ts'
import { formatCountdown, formatIstTime, formatRupees } from './rupees.ts'
import { wordsFor } from './words.ts'

const noon = new Date('2026-01-01T12:00:00Z')
const attempt: AttemptView = {
  id: 'a1',
  method: 'upi',
  status: 'open',
  failure_reason: null,
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

test.each<[string, Partial<TransactionView>, object]>([
  ['a new order', {}, { kind: 'pay', intent: 'upi://pay?tr=T1', earlierFailure: null }],
  ['an order after a decline', { status: 'Pending', attempts: [declined] }, { kind: 'pay', earlierFailure: 'declined' }],
  ['an open attempt', { status: 'Pending', attempts: [attempt], payable: false }, { kind: 'waiting' }],
  ['an open attempt with others left', { status: 'Pending', attempts: [attempt] }, { kind: 'waiting' }],
  ['pending without an attempt of ours', { status: 'Pending', payable: false }, { kind: 'waiting' }],
  ['no UPI', { checkout: { url: '', intent: '' } }, { kind: 'no_method', methods: ['card'] }],
  ['a link that is no UPI link', { checkout: { url: '', intent: 'javascript:alert(1)' } }, { kind: 'no_method' }],
  ['cancelled, not final yet', { closing: 'cancelled' }, { kind: 'closing', why: 'cancelled' }],
  ['expired, not final yet', { closing: 'expired' }, { kind: 'closing', why: 'expired' }],
  ['past its time, not noticed yet', { expires_at: '2026-01-01T12:00:00Z' }, { kind: 'closing', why: 'expired' }],
  ['paid', { status: 'Success', closing: 'expired' }, { kind: 'success' }],
  ['failed', { status: 'Failed', failure_reason: 'expired' }, { kind: 'failed', reason: 'expired' }],
])('%s', (_name, fields, state) => {
  expect(pageState({ ...view, ...fields }, noon)).toMatchObject(state)
})

test('what looks different has another key', () => {
  const fields: Partial<TransactionView>[] = [
    {},
    { attempts: [declined] },
    { attempts: [attempt] },
    { checkout: null },
    { closing: 'cancelled' },
    { closing: 'expired' },
    { status: 'Success' },
    ...[...FAILURE_REASONS, null].map((reason) => ({ status: 'Failed' as const, failure_reason: reason })),
  ]
  const keys = fields.map((changed) => keyOf(pageState({ ...view, ...changed }, noon)))
  expect(new Set(keys).size).toBe(fields.length)
})

test('every reason of a failure has words of its own, and none of them is a code', () => {
  const words = [...FAILURE_REASONS, null].map((reason) => wordsFor({ kind: 'failed', reason }, 'Shop'))
  expect(new Set(words.map(({ text }) => text)).size).toBe(FAILURE_REASONS.length + 1)
  for (const { title, text } of words) expect(`${title} ${text}`).not.toMatch(/_|undefined/u)
})

test('an order without UPI says which methods it takes', () => {
  const { text } = wordsFor({ kind: 'no_method', methods: ['card', 'netbanking'] }, 'Shop')
  expect(text).toContain('card and net banking')
})

test('the way back carries order and status as a hint, and keeps what was there', () => {
  expect(returnLink({ ...view, status: 'Success' })).toBe('https://shop.example/back?cart=7&order_id=ORD-1001&status=Success')
  expect(returnLink({ ...view, return_url: null })).toBeUndefined()
  expect(returnLink({ ...view, return_url: 'javascript:alert(1)' })).toBeUndefined()
})

test.each([
  ['1.00', '₹1.00'],
  ['499.00', '₹499.00'],
  ['1000.50', '₹1,000.50'],
  ['123456.00', '₹1,23,456.00'],
  ['10000000.00', '₹1,00,00,000.00'],
])('%s rupees are %s', (amount, text) => {
  expect(formatRupees(amount)).toBe(text)
})

test.each([
  [0, '0:00'],
  [1, '0:01'],
  [65_000, '1:05'],
  [3_600_000, '60:00'],
])('%d ms are %s', (ms, text) => {
  expect(formatCountdown(ms)).toBe(text)
})

test('times are those of India, and none is left after the end', () => {
  expect(formatIstTime(noon)).toBe('5:30 pm')
  expect(remainingMs(view, noon)).toBe(1_200_000)
  expect(remainingMs(view, new Date('2026-01-02'))).toBe(0)
})
