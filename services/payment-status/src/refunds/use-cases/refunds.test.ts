import { at, opened } from '../../../test/data.ts'
import { paid } from '../../../test/refund-data.ts'
import type { Decision, Transaction } from '../../payments/index.ts'
import { makeRefunds } from './refunds.ts'

const request = { order_id: 'ORD-1', refund_id: 'RF-1', amount: '200.00' }
const caller = { merchantId: 'M1', credentialId: 'key_sandbox_1' }

/** Refunds of a transaction that is read as `read` and has become `stored` at the write. */
function refundsOf(read: Transaction, stored: Transaction) {
  const asked: string[] = []
  const refunds = makeRefunds({
    adopt: { byOrder: () => Promise.resolve(read) },
    transactions: { find: () => Promise.resolve(read) },
    change: (_before: Transaction, decide: (current: Transaction) => Decision) => Promise.resolve(decide(stored)),
    capabilities: {
      find: () => {
        asked.push('capabilities')
        return Promise.resolve({ contract: 1, refunds: { window_days: 180, partial: true } })
      },
    },
    audited: (_action, work) => work(async () => void asked.push('audit')),
    now: () => at(120),
  })
  return { refunds, asked }
}

// Proves: refunds/refusals
test('an order that is paid between read and write was not refundable: never "not supported"', async () => {
  const { refunds, asked } = refundsOf(opened(), paid())
  await expect(refunds.create(caller, request)).rejects.toMatchObject({ code: 'order_not_refundable' })
  expect(asked).toEqual([])
})

test('a refund that another replica stored between read and write is found', async () => {
  const first = refundsOf(paid(), paid())
  const { transaction, isNew } = await first.refunds.create(caller, request)
  expect([isNew, first.asked]).toEqual([true, ['capabilities', 'audit']])
  const again = await refundsOf(paid(), transaction).refunds.create(caller, request)
  expect(again).toMatchObject({ isNew: false, refund: { refund_id: 'RF-1' } })
  const known = refundsOf(transaction, transaction)
  expect(await known.refunds.create(caller, request)).toMatchObject({ isNew: false, refund: { refund_id: 'RF-1' } })
  expect(known.asked).toEqual([])
})
