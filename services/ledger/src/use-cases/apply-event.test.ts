import { Unavailable, type ExportedPayment, type TransactionStatusChanged } from '@gateway/contracts'
import type { Payment } from '../domain/payment.ts'
import { makeApplyEvent } from './apply-event.ts'

const at = '2026-11-23T10:00:00.000Z'
const event = (id: string, status: TransactionStatusChanged['data']['status'], sequence: number): TransactionStatusChanged => ({
  ...{ id: `${id}.${sequence}`, type: 'transaction.status-changed', version: 1, occurred_at: at, correlation_id: 'c' },
  data: {
    ...{ transaction_id: id, order_id: `ORD-${id}`, merchant_id: 'M1', order_created_at: at, sequence, status },
    ...{ amount_paise: 100, currency: 'INR', method: null, rrn: null, payer: null, failure_reason: null },
    ...{ udf1: '', udf2: '', udf3: '' },
  },
})
const exported = (id: string): ExportedPayment => ({
  ...{ transaction_id: id, order_id: `ORD-${id}`, merchant_id: 'M1', sequence: 2, version: 5, status: 'Success' },
  ...{ amount_paise: 100, method: 'upi', rrn: null, failure_reason: null, failure_code: null, payer_vpa: null },
  ...{ created_at: at, final_at: at, captures: [], reversals: [], refunds: [], rrns: [] },
})

function aLedger(
  fetchPayments: (ids: readonly string[]) => Promise<ExportedPayment[]>,
  refuse: (payment: Payment) => Error | undefined = () => undefined,
) {
  const stored: string[][] = []
  const asked: (readonly string[])[] = []
  const nothing = () => Promise.resolve()
  const apply = makeApplyEvent({
    storePayments: (payments: readonly Payment[]) => {
      const refused = payments.map(refuse).find((error) => error !== undefined)
      if (refused) return Promise.reject(refused)
      stored.push(payments.map(({ transactionId, status }) => `${transactionId} ${status}`))
      return Promise.resolve()
    },
    storeRefunds: nothing,
    storeEntries: nothing,
    fetchPayments: async (ids) => {
      asked.push(ids)
      return { payments: await fetchPayments(ids), unreadable: ids.filter((id) => id.startsWith('BAD')) }
    },
    hashPayer: () => '',
  })
  return { apply, stored, asked }
}

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

test('events that arrive together share one read of payment-status and one write', async () => {
  const { apply, stored, asked } = aLedger((ids) => Promise.resolve(ids.map(exported)))
  const all = [
    apply.statusChanged(event('T1', 'Initiate', 1)),
    apply.statusChanged(event('T2', 'Success', 2)),
    apply.changed('T2'),
  ]
  await jest.runAllTimersAsync()
  await Promise.all(all)
  expect(asked).toEqual([['T2']])
  expect(stored).toEqual([['T1 Initiate', 'T2 Success']])
})

test('without payment-status, only events that need it fail', async () => {
  const { apply, stored } = aLedger(() => Promise.reject(new Unavailable('payment_status_unavailable', 'try again')))
  const all = Promise.allSettled([apply.statusChanged(event('T1', 'Initiate', 1)), apply.statusChanged(event('T2', 'Failed', 2))])
  await jest.runAllTimersAsync()
  expect((await all).map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  expect(stored).toEqual([['T1 Initiate']])
})

test('a payment that payment-status does not know changes nothing', async () => {
  const { apply, stored } = aLedger(() => Promise.resolve([]))
  const change = apply.changed('T9')
  await jest.runAllTimersAsync()
  await change
  expect(stored).toEqual([[]])
})

test('a payment that can never be stored fails alone', async () => {
  const refuse = ({ transactionId }: Payment) => (transactionId === 'T2' ? new Error('document too large') : undefined)
  const { apply, stored, asked } = aLedger((ids) => Promise.resolve(ids.map(exported)), refuse)
  const all = Promise.allSettled([
    apply.statusChanged(event('T1', 'Initiate', 1)),
    apply.statusChanged(event('T2', 'Initiate', 1)),
    apply.changed('T3'),
  ])
  await jest.runAllTimersAsync()
  expect((await all).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(stored).toEqual([['T1 Initiate'], ['T3 Success']])
  expect(asked).toEqual([['T3']])
})

// Proves: ledger/one-payment-stops-no-other
test('a payment that cannot be read fails alone', async () => {
  const { apply, stored } = aLedger((ids) => Promise.resolve(ids.filter((id) => !id.startsWith('BAD')).map(exported)))
  const all = Promise.allSettled([apply.changed('T1'), apply.changed('BAD1'), apply.statusChanged(event('T2', 'Initiate', 1))])
  await jest.runAllTimersAsync()
  expect((await all).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(stored).toEqual([['T2 Initiate', 'T1 Success']])
})

test('without the database, a batch fails at once and is not tried one by one', async () => {
  let tries = 0
  const refuse = () => {
    tries += 1
    return Object.assign(new Error('connection refused'), { name: 'MongoNetworkError' })
  }
  const { apply } = aLedger(() => Promise.resolve([]), refuse)
  const all = Promise.allSettled([
    apply.statusChanged(event('T1', 'Initiate', 1)),
    apply.statusChanged(event('T2', 'Initiate', 1)),
  ])
  await jest.runAllTimersAsync()
  expect((await all).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(tries).toBe(2)
})

test('a database that goes away among single events is not asked again', async () => {
  const asked: string[] = []
  const refuse = ({ transactionId }: Payment) => {
    asked.push(transactionId)
    if (asked.length === 1) return new Error('document too large')
    return transactionId === 'T2' ? Object.assign(new Error('connection refused'), { name: 'MongoNetworkError' }) : undefined
  }
  const { apply } = aLedger(() => Promise.resolve([]), refuse)
  const all = Promise.allSettled(['T1', 'T2', 'T3'].map((id) => apply.statusChanged(event(id, 'Initiate', 1))))
  await jest.runAllTimersAsync()
  expect((await all).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(asked.slice(3)).toEqual(['T1', 'T2'])
})

test.each([
  ['six times as long as the batch took', 300, 1800],
  ['three seconds at most', 1000, 3000],
])('after a batch the ledger rests: %s', async (_how, readMs, restMs) => {
  const startedAtMs: number[] = []
  const { apply } = aLedger(async (ids) => {
    startedAtMs.push(performance.now())
    await new Promise((resolve) => setTimeout(resolve, readMs))
    return ids.map(exported)
  })
  const first = apply.changed('T1')
  await jest.advanceTimersByTimeAsync(300)
  const second = apply.changed('T2')
  await jest.runAllTimersAsync()
  await Promise.all([first, second])
  const [firstMs = NaN, secondMs = NaN] = startedAtMs
  expect(secondMs - firstMs).toBeGreaterThanOrEqual(readMs + restMs)
  expect(secondMs - firstMs).toBeLessThan(readMs + restMs + 2)
})
