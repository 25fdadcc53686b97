import { eventually } from '@gateway/testkit'
import { aCopy, startFixture, type Fixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => (fixture = await startFixture()))
afterAll(() => fixture.stop())

// Proves: ledger/never-goes-back
test('copies in any order, and twice, leave the newest state', async () => {
  const first = aCopy()
  const { transaction_id } = first
  const pending = aCopy({ ...first, ...{ version: 2, sequence: 2, status: 'Pending', method: 'upi', rrn: '111122223333' } })
  for (const copy of [pending, first, pending, first]) await fixture.publish(copy)
  await eventually(async () => expect(await fixture.find(transaction_id)).toMatchObject({ status: 'Pending', sequence: 2 }))
  const last = aCopy()
  for (const copy of [first, last]) await fixture.publish(copy)
  await eventually(async () => expect(await fixture.find(last.transaction_id)).toBeDefined())
  expect(await fixture.find(transaction_id)).toMatchObject({ status: 'Pending', method: 'upi', rrn: '111122223333' })
})

// Proves: ledger/no-payer-is-stored
test('a paid order is stored with what payment-status knows of it, and without the address of its payer', async () => {
  const { data } = await fixture.paymentStatus.open()
  await fixture.paymentStatus.report({
    tr: data.transaction_id,
    rrn: '123456789012',
    payer: { name: 'Asha Rao', vpa: 'asha@okbank' },
  })
  const found = await eventually(async () => {
    const document = await fixture.find(data.transaction_id)
    expect(document).toMatchObject({ status: 'Success', sequence: 2, rrn: '123456789012', method: 'upi' })
    return document
  })
  const transaction = await fixture.paymentStatus.document(data.transaction_id)
  expect(found).toMatchObject({ version: transaction?.['version'], final_at: transaction?.['final_at'] })
  expect(JSON.stringify(await fixture.stored())).not.toMatch(/asha/iu)
})

// Proves: ledger/learns-from-events
test.each(['transaction.status-changed', 'reversal.status-changed', 'refund.status-changed'])(
  'the copy in %s is stored while payment-status does not answer',
  async (type) => {
    fixture.paymentStatus.databaseProxy.cut()
    try {
      const payment = aCopy({ version: 3, sequence: 2, status: 'Failed', failure_code: 'insufficient_funds' })
      const event = { occurred_at: new Date().toISOString(), correlation_id: 'c', data: { payment, more: 1 } }
      await fixture.publishRaw(type, JSON.stringify(event))
      await eventually(async () =>
        expect(await fixture.find(payment.transaction_id)).toMatchObject({ version: 3, failure_code: 'insufficient_funds' }),
      )
    } finally {
      fixture.paymentStatus.databaseProxy.restore()
    }
  },
)

test('a message that cannot be read is dead-lettered', async () => {
  await fixture.publishRaw('transaction.status-changed', '{"data":1}')
  await fixture.publishRaw('refund.status-changed', 'no JSON')
  await eventually(async () => expect(await fixture.paymentStatus.sandbox.messageCount(fixture.queues.dead)).toBe(2))
})
