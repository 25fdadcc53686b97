import mongoose from 'mongoose'
import { eventually } from '@gateway/testkit'
import { paymentOfEvent } from '../src/domain/payment.ts'
import { mongoPayments } from '../src/persistence/payments.ts'
import { anEvent, startFixture, type Fixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => (fixture = await startFixture()))
afterAll(() => fixture.stop())

// Proves: ledger/never-goes-back
test('events in any order, and twice, leave the newest state', async () => {
  const first = anEvent()
  const { transaction_id } = first.data
  const pending = anEvent({ ...first.data, sequence: 2, status: 'Pending', method: 'upi', rrn: '111122223333' })
  for (const event of [pending, first, pending, first]) await fixture.publish(event)
  await eventually(async () => expect(await fixture.find(transaction_id)).toMatchObject({ status: 'Pending', sequence: 2 }))
  const last = anEvent()
  for (const event of [first, last]) await fixture.publish(event)
  await eventually(async () => expect(await fixture.find(last.data.transaction_id)).toBeDefined())
  expect(await fixture.find(transaction_id)).toMatchObject({ status: 'Pending', method: 'upi', rrn: '111122223333' })
})

test('first copies are inserted without a read, and change nothing that is stored', async () => {
  const { mongoUrl, database: dbName } = fixture.config
  const connection = await mongoose.createConnection(mongoUrl, { dbName, monitorCommands: true }).asPromise()
  try {
    const commands: string[] = []
    connection.getClient().on('commandStarted', ({ commandName }) => commands.push(commandName))
    const { storeAll } = mongoPayments(connection)
    const copyOf = (event: ReturnType<typeof anEvent>) => paymentOfEvent(event, () => '')
    const [one, two] = [anEvent(), anEvent()]
    await storeAll([one, two].map(copyOf))
    expect(commands).toEqual(['insert'])
    const pending = anEvent({ ...one.data, sequence: 2, status: 'Pending' })
    await storeAll([copyOf(pending)])
    expect(commands.slice(1)).toEqual(['find', 'update'])
    const three = anEvent()
    await storeAll([one, two, three].map(copyOf))
    expect(commands.slice(3)).toEqual(['insert'])
    expect(await fixture.find(one.data.transaction_id)).toMatchObject({ status: 'Pending', sequence: 2 })
    expect(await fixture.find(three.data.transaction_id)).toMatchObject({ status: 'Initiate' })
  } finally {
    await connection.close()
  }
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
  expect(found).toMatchObject({ version: transaction?.['version'], final_at: transaction?.['finalAt'] })
  expect(JSON.stringify(await fixture.stored())).not.toMatch(/asha/iu)
})

// Proves: ledger/waits-for-payment-status
test('while payment-status does not answer, a final event waits and nothing is dead-lettered', async () => {
  const { paymentStatus, queues } = fixture
  const { data } = await paymentStatus.open()
  await eventually(async () => expect(await fixture.find(data.transaction_id)).toMatchObject({ status: 'Initiate' }))
  // Without its database payment-status answers 503.
  paymentStatus.databaseProxy.cut()
  await fixture.publish(anEvent({ ...anEvent().data, ...{ transaction_id: data.transaction_id, sequence: 2, status: 'Failed' } }))
  const pending = anEvent()
  await fixture.publish(pending)
  await eventually(async () => expect(await fixture.find(pending.data.transaction_id)).toBeDefined())
  expect(await fixture.find(data.transaction_id)).toMatchObject({ status: 'Initiate' })
  paymentStatus.databaseProxy.restore()
  await paymentStatus.report({ tr: data.transaction_id, outcome: 'failed', reason_code: 'insufficient_funds' })
  await eventually(async () =>
    expect(await fixture.find(data.transaction_id)).toMatchObject({ status: 'Failed', failure_code: 'insufficient_funds' }),
  )
  await eventually(async () => expect(await paymentStatus.sandbox.messageCount(queues.events)).toBe(0))
  expect(await paymentStatus.sandbox.messageCount(queues.dead)).toBe(0)
})

test.each(['reversal.status-changed', 'refund.status-changed'])('%s makes the ledger read the payment again', async (type) => {
  const { data } = await fixture.paymentStatus.open()
  await fixture.paymentStatus.report({ tr: data.transaction_id })
  await eventually(async () => expect(await fixture.find(data.transaction_id)).toMatchObject({ status: 'Success' }))
  const { version = 0 } = (await fixture.find(data.transaction_id)) ?? {}
  const { sandbox, config } = fixture.paymentStatus
  const transactions = sandbox.client.db(config.database).collection<{ _id: string }>('transactions')
  await transactions.updateOne({ _id: data.transaction_id }, { $set: { version: version + 1, rrn: '999988887777' } })
  const event = { type, version: 1, occurred_at: new Date().toISOString(), correlation_id: 'c', data: { ...data, more: 1 } }
  await fixture.publishRaw(type, JSON.stringify(event))
  await eventually(async () => expect(await fixture.find(data.transaction_id)).toMatchObject({ rrn: '999988887777' }))
})

test('a message that cannot be read is dead-lettered', async () => {
  await fixture.publishRaw('transaction.status-changed', '{"data":1}')
  await fixture.publishRaw('refund.status-changed', 'no JSON')
  await eventually(async () => expect(await fixture.paymentStatus.sandbox.messageCount(fixture.queues.dead)).toBe(2))
})
