/** Callbacks of a faulty connector: repeated, contradictory, unreadable, oversized, cut off. */
import { connect } from 'node:net'
import { findCards } from '@gateway/contracts'
import { PLANTED_FORMS } from '@gateway/testkit/card-numbers'
import { eventually, type JsonClient } from '@gateway/testkit'
import { startFixture, type Fixture } from './fixture.ts'
import { sendCallback } from './messages.ts'

let fixture: Fixture
let client: JsonClient
beforeAll(async () => {
  fixture = await startFixture()
  client = await fixture.as('M1')
})
afterAll(() => fixture.stop())

const CARD = '4111111111111111'
const quarantined = () => fixture.sandbox.client.db(fixture.config.database).collection('quarantined_reports').find().toArray()
const statuses = async (transactionId: string) => (await fixture.events(transactionId)).map(({ data: { status } }) => status)
const report = (tr: string, fields: object = {}): string =>
  JSON.stringify({ reference: `REF-${tr}`, tr, outcome: 'success', amount: '499.00', method: 'upi', ...fields })

test('the same body, at once and later, is one payment', async () => {
  const { data } = await fixture.open()
  const body = report(data.transaction_id)
  for (const answer of await Promise.all([1, 2, 3].map(() => sendCallback(client, body)))) expect(answer.status).toBe(200)
  expect(await sendCallback(client, body)).toMatchObject({ status: 200, body: { status: 'recorded' } })
  await eventually(async () => expect(await statuses(data.transaction_id)).toEqual(['Initiate', 'Success']))
  expect(await fixture.document(data.transaction_id)).toMatchObject({ attempts: [{ status: 'succeeded' }], reversals: [] })
})

test('a success and then a failure for the same payment: it stays a success', async () => {
  const { data } = await fixture.open()
  await sendCallback(client, report(data.transaction_id))
  expect(await sendCallback(client, report(data.transaction_id, { outcome: 'failed' }))).toMatchObject({ status: 200 })
  expect(await fixture.document(data.transaction_id)).toMatchObject({ status: 'Success', sequence: 2, reversals: [] })
})

test('a failure and then a success, with attempts left: the money is accepted', async () => {
  const { data } = await fixture.open({ max_attempts: 2 })
  await sendCallback(client, report(data.transaction_id, { outcome: 'failed' }))
  await sendCallback(client, report(data.transaction_id))
  expect(await fixture.document(data.transaction_id)).toMatchObject({ status: 'Success', reversals: [] })
})

// Proves: state/authentic-report-is-never-refused
test.each([
  ['HTML', (_tr: string) => '<html>'],
  ['an empty body', (_tr: string) => ''],
  ['a list', (tr: string) => `[${report(tr)}]`],
  ['an unknown outcome', (tr: string) => report(tr, { outcome: 'maybe' })],
  ['an amount that is a number', (tr: string) => report(tr, { amount: 499 })],
  ['a tr that is not an id', (tr: string) => report(tr, { tr: { $gt: '' } })],
  ['bytes that are not text', (_tr: string) => '\u0000\uffff'],
])('%s: answered, quarantined, and nothing changes', async (_name, bodyFor) => {
  const { data } = await fixture.open()
  expect(await sendCallback(client, bodyFor(data.transaction_id))).toMatchObject({ status: 200, body: { status: 'quarantined' } })
  expect(await fixture.document(data.transaction_id)).toMatchObject({ status: 'Initiate', version: 1 })
})

// Proves: state/authentic-report-is-never-refused
test('a card number in an unreadable body is not kept, in any notation', async () => {
  for (const write of Object.values(PLANTED_FORMS)) {
    const body = `{"note": "unreadable", "pan": "${Buffer.from(write(CARD)).toString('utf8')}`
    expect(await sendCallback(client, body)).toMatchObject({ status: 200, body: { status: 'quarantined' } })
  }
  await sendCallback(client, report('NOBODY', { reference: CARD, payer: { name: CARD, vpa: `${CARD}@okbank` } }))
  await sendCallback(client, report(CARD, { reason: CARD }))
  const kept = JSON.stringify(await quarantined())
  expect(kept).toContain('unreadable')
  expect(findCards(Buffer.from(kept).toString('latin1'), 'any')).toEqual([])
})

// Proves: state/authentic-report-is-never-refused, api/one-reader-of-bodies
test('a signed callback is quarantined in Latin-1, and recorded with a byte order mark, whatever its charset says', async () => {
  const { data } = await fixture.open()
  const body = report(data.transaction_id, { payer: { name: 'José', vpa: 'jose@okbank' } })
  const latin1 = await sendCallback(client, Buffer.from(body, 'latin1'))
  expect(latin1).toMatchObject({ status: 200, body: { status: 'quarantined' } })
  expect(await fixture.document(data.transaction_id)).toMatchObject({ status: 'Initiate', version: 1 })
  const marked = await sendCallback(client, Buffer.from(`\ufeff${body}`), { 'content-type': 'text/plain; charset=iso-8859-1' })
  expect(marked).toMatchObject({ status: 200, body: { status: 'recorded' } })
  expect(await fixture.document(data.transaction_id)).toMatchObject({ status: 'Success', payer: { name: 'José' } })
})

test('an oversized callback is refused unread', async () => {
  const { data } = await fixture.open()
  const body = report(data.transaction_id, { padding: 'x'.repeat(70_000) })
  expect(await sendCallback(client, body)).toMatchObject({ status: 413, body: { code: 'body_too_large' } })
  expect(await fixture.document(data.transaction_id)).toMatchObject({ status: 'Initiate' })
})

test('a callback that is cut off changes nothing, and the next one is recorded', async () => {
  const { data } = await fixture.open()
  const { host, port } = new URL(fixture.baseUrl)
  const socket = connect(Number(port), '127.0.0.1')
  await new Promise((resolve) => socket.once('connect', resolve))
  socket.write(
    `POST /network/v1/callbacks HTTP/1.1\r\nhost: ${host}\r\ncontent-length: 500\r\n\r\n${report(data.transaction_id)}`,
  )
  socket.resetAndDestroy()
  expect(await sendCallback(client, report(data.transaction_id))).toMatchObject({ status: 200, body: { status: 'recorded' } })
  expect(await fixture.document(data.transaction_id)).toMatchObject({ status: 'Success', sequence: 2 })
})
