import type { ExportedPayment } from '@gateway/contracts'
import { makeStoreCopy } from './store-copies.ts'

const at = '2026-11-23T10:00:00.000Z'
const aCopy = (id: string): ExportedPayment => ({
  ...{ transaction_id: id, order_id: `ORD-${id}`, merchant_id: 'M1', sequence: 2, version: 5, status: 'Success' },
  ...{ amount_paise: 100, method: 'upi', rrn: null, failure_reason: null, failure_code: null, payer_vpa: null },
  ...{ created_at: at, final_at: at, captures: [], reversals: [], refunds: [], rrns: [] },
})
const away = () => Object.assign(new Error('connection refused'), { name: 'MongoNetworkError' })

/** Stores copies of payments with these ids at the same time. `refuse` says which error storing a payment has. */
async function storeAll(ids: readonly string[], refuse: (id: string) => Error | undefined = () => undefined) {
  const [stored, tried]: [string[][], string[][]] = [[], []]
  const store = makeStoreCopy((copies) => {
    const batch = copies.map(({ transaction_id }) => transaction_id)
    tried.push(batch)
    const refused = batch.map(refuse).find((error) => error !== undefined)
    if (refused) return Promise.reject(refused)
    stored.push(batch)
    return Promise.resolve()
  })
  const all = Promise.allSettled(ids.map((id) => store(aCopy(id))))
  await jest.runAllTimersAsync()
  return { results: (await all).map(({ status }) => status), stored, tried }
}

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

test('copies that arrive together are stored together', async () => {
  expect(await storeAll(['T1', 'T2', 'T2'])).toMatchObject({ stored: [['T1', 'T2', 'T2']] })
})

// Proves: ledger/one-payment-stops-no-other
test('a payment that can never be stored fails alone', async () => {
  const refuse = (id: string) => (id === 'T2' ? new Error('document too large') : undefined)
  expect(await storeAll(['T1', 'T2', 'T3'], refuse)).toMatchObject({
    results: ['fulfilled', 'rejected', 'fulfilled'],
    stored: [['T1'], ['T3']],
  })
})

test('without the database, a batch fails at once and is not tried one by one', async () => {
  expect(await storeAll(['T1', 'T2'], away)).toMatchObject({ results: ['rejected', 'rejected'], tried: [['T1', 'T2']] })
})

test('a database that goes away among single copies is not asked again', async () => {
  let asked = 0
  const refuse = (id: string) => {
    asked += 1
    if (asked === 1) return new Error('document too large')
    return id === 'T2' ? away() : undefined
  }
  const { results, tried } = await storeAll(['T1', 'T2', 'T3'], refuse)
  expect(results).toEqual(['rejected', 'rejected', 'rejected'])
  expect(tried.slice(1)).toEqual([['T1'], ['T2']])
})
