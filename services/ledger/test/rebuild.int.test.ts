import type { OrderTimeline } from '@gateway/contracts'
import { eventually, runScript } from '@gateway/testkit'
import { startFixture, type Fixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => (fixture = await startFixture()))
afterAll(() => fixture.stop())

const rebuild = (...args: string[]) =>
  runScript({
    script: new URL('../src/rebuild.ts', import.meta.url),
    args,
    env: {
      ENVIRONMENT: 'sandbox',
      MONGO_URL: fixture.config.mongoUrl,
      DATABASE: fixture.config.database,
      PAYMENT_STATUS_URL: fixture.config.paymentStatusUrl,
      SERVICE_TOKEN: fixture.config.serviceToken,
      PAYER_HASH_KEY: fixture.payerHashKey,
    },
  })

const collection = (name: string) => fixture.paymentStatus.sandbox.client.db(fixture.config.database).collection(name)
/** All payments and entries, apart from their versions: not every write at payment-status has an event. */
const shown = async () => [
  ...(await fixture.stored()).map(({ version: _, ...document }) => document),
  ...(await collection('entries').find({}).sort({ _id: 1 }).toArray()).map(({ version: _, ...document }) => document),
]

/** The timeline of an order, with its webhooks. How often the network was asked by now depends on the machine. */
async function timelineOf(transactionId: string): Promise<unknown> {
  const { merchant_id = '', order_id = '' } = (await fixture.find(transactionId)) ?? {}
  const merchant = await fixture.as(merchant_id)
  const { status, body } = await merchant<OrderTimeline>('GET', `/api/v1/orders/${order_id}/timeline`)
  expect([status, body.incomplete]).toEqual([200, []])
  return body.data.events.filter(({ kind }) => kind !== 'enquiry.answered')
}

// Proves: ledger/rebuilt-from-the-export
test('rebuilt from nothing, and over what is there, it equals what it was', async () => {
  const { paymentStatus } = fixture
  const opened = []
  for (let index = 0; index < 8; index++) opened.push((await paymentStatus.open()).data.transaction_id)
  const [paid = '', declined = '', late = ''] = opened
  await paymentStatus.report({ tr: paid, rrn: '123456789012', payer: { name: 'Asha', vpa: 'asha@okbank' } })
  await paymentStatus.report({ tr: declined, outcome: 'failed', reason_code: 'issuer_down' })
  await paymentStatus.report({ tr: late, outcome: 'pending' })
  await eventually(async () => {
    expect(await fixture.stored()).toHaveLength(8)
    expect([await fixture.find(paid), await fixture.find(declined), await fixture.find(late)]).toMatchObject([
      { status: 'Success' },
      { status: 'Failed', failure_code: 'issuer_down' },
      { status: 'Pending' },
    ])
  })
  const [payments, entries] = [collection('payments'), collection('entries')]
  const before = await shown()
  expect(before).toHaveLength(9)
  const detail = { reason: 'exhausted', attempts: 8 }
  const givenUp = { at: new Date().toISOString(), kind: 'webhook.dead', source: 'webhooks', sequence: 1, detail }
  fixture.dispatcher.answer(() => ({ status: 200, body: { events: [givenUp] } }))
  const timeline = await timelineOf(paid)
  expect(timeline).toEqual(expect.arrayContaining([givenUp]))
  expect(before.at(-1)).toMatchObject({ _id: expect.stringMatching(/^capture:/u) as string, transaction_id: paid })

  await Promise.all([payments.deleteMany({}), entries.deleteMany({})])
  expect(await rebuild()).toMatchObject({ code: 0, stdout: 'ledger  done: 8 payments read from payment-status\n' })
  expect(await shown()).toEqual(before)
  // A damaged ledger; one of its payments no longer exists at payment-status.
  await payments.updateMany({}, { $set: { status: 'Failed', version: 99 } })
  await entries.updateMany({}, { $set: { amount_paise: 1, version: 99 } })
  await payments.insertOne({ ...(before[0] ?? {}), _id: 'M1:GONE' as never, version: 1 })
  await rebuild()
  expect(await shown()).not.toEqual(before)
  expect(await rebuild('--replace')).toMatchObject({ code: 0 })
  expect(await shown()).toEqual(before)
  expect(await timelineOf(paid)).toEqual(timeline)
})

// Proves: ledger/rebuilt-from-the-export
test('rebuilt from nothing while orders are created and paid, it lacks none of them', async () => {
  const { paymentStatus } = fixture
  const ids: string[] = []
  const over = new AbortController()
  const rebuilding = rebuild('--replace').finally(() => over.abort())
  while (!over.signal.aborted || ids.length < 20) {
    const { transaction_id: tr } = (await paymentStatus.open()).data
    await paymentStatus.report({ tr })
    ids.push(tr)
  }
  expect(await rebuilding).toMatchObject({ code: 0 })
  await eventually(async () => {
    const paid = new Set(
      (await fixture.stored()).filter(({ status }) => status === 'Success').map(({ _id }) => _id.split(':')[1]),
    )
    expect(ids.filter((id) => !paid.has(id))).toEqual([])
  })
  const live = await shown()
  expect(await rebuild('--replace')).toMatchObject({ code: 0 })
  expect(await shown()).toEqual(live)
})

test('it refuses arguments that it does not know, and a configuration that lacks something', async () => {
  expect(await rebuild('--everything')).toMatchObject({ code: 2, stderr: expect.stringContaining('usage') as string })
  const script = new URL('../src/rebuild.ts', import.meta.url)
  expect(await runScript({ script, args: [], env: { ENVIRONMENT: 'sandbox' } })).toMatchObject({ code: 78 })
})
