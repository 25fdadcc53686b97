import { formatSigningSecret, readSigningSecret, sign } from '@gateway/contracts'
import type { Log } from '@gateway/service-kit'
import { eventually, type JsonClient } from '@gateway/testkit'
import { CALLER_TOKENS, startFixture, type Fixture } from './fixture.ts'

/** Alerts for operators, and data that must never be logged. */
const lines: string[] = []
const keep = (message: string, fields?: object) => void lines.push(JSON.stringify({ message, ...fields }))
const log: Log = { info: keep, warn: keep, error: keep, debug: keep }

let fixture: Fixture
let merchant: JsonClient
beforeAll(async () => {
  fixture = await startFixture(undefined, log)
  merchant = await fixture.as('M1')
})
afterAll(() => fixture.stop())

const alertIs = (kind: string, count: number) =>
  eventually(
    async () =>
      expect((await merchant<string>('GET', '/metrics')).body).toMatch(
        new RegExp(`alerts_total\\{kind="${kind}",service="payment-status"\\} ${count}\\n`, 'u'),
      ),
    { deadlineMs: 30_000 },
  )
const reversalAnswers = (status: string) =>
  fixture.network.answer(({ method, query, body }) =>
    method === 'GET'
      ? { status: 200, body: { tr: query.get('tr'), payments: [] } }
      : { status: 200, body: { reference: (body as { reference: string }).reference, status, reason: null } },
  )

// Proves: state/unknown-tr-no-order-quarantined-alert
test('a report about an unknown transaction raises one alert, however often it comes', async () => {
  const unknown = { tr: 'NOBODY', reference: 'ALERT' }
  for (let again = 0; again < 2; again++) await fixture.report(unknown)
  await alertIs('report_quarantined', 1)
})

// Proves: state/refused-reversal-goes-to-operator
test('a refused reversal raises an alert', async () => {
  reversalAnswers('failed')
  const { data } = await fixture.open()
  await fixture.report({ tr: data.transaction_id, amount: '1.00' })
  await alertIs('reversal_refused', 1)
})

// Proves: state/giving-up-is-an-alert
test('giving up on the network’s answer raises an alert', async () => {
  fixture.network.answer(() => ({ status: 500 }))
  await fixture.open({ expires_at: new Date(Date.now() + 100).toISOString() })
  await alertIs('unconfirmed', 1)
})

test('a success and a failure under one reference raise an alert, and change nothing', async () => {
  reversalAnswers('succeeded')
  const { data } = await fixture.open()
  await fixture.report({ tr: data.transaction_id })
  await fixture.report({ tr: data.transaction_id, outcome: 'failed' })
  await alertIs('contradictory_report', 1)
  expect(await fixture.document(data.transaction_id)).toMatchObject({ status: 'Success', reversals: [] })
})

test.each([
  ['GET', ''],
  ['POST', '/attempts'],
  ['POST', '/cancel'],
])('%s …/transactions/:id%s needs the internal token, not a merchant’s', async (method, path) => {
  const { data } = await fixture.open()
  const answer = await merchant(method, `/internal/v1/transactions/${data.transaction_id}${path}`)
  expect(answer).toMatchObject({ status: 401, body: { code: 'unauthorized' } })
  expect(await fixture.document(data.transaction_id)).toMatchObject({ status: 'Initiate', closing: null })
})

// Proves: api/callback-signature
test('a well-formed callback that is signed with another secret is 401', async () => {
  const { data } = await fixture.open()
  const body = JSON.stringify({ reference: 'R', tr: data.transaction_id, outcome: 'success', amount: '499.00', method: 'upi' })
  const seconds = Math.floor(Date.now() / 1000)
  const theirs = readSigningSecret(formatSigningSecret(Buffer.alloc(32, 9)))
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(seconds),
    'webhook-signature': sign('msg_1', seconds, body, [theirs]),
  }
  expect(await merchant('POST', '/network/v1/callbacks', body, headers)).toMatchObject({ status: 401 })
  expect(await fixture.document(data.transaction_id)).toMatchObject({ status: 'Initiate' })
})

// Proves: faults/logs-hold-no-personal-data
test('no VPA, name, udf, customer, token, secret or link is ever logged', async () => {
  const { data } = await fixture.open({ udf1: 'udf-secret', description: 'description-secret' })
  const payer = { name: 'Payer Secret', vpa: 'payer.secret@okbank' }
  await fixture.report({ tr: data.transaction_id, payer })
  await fixture.report({ tr: 'NOBODY', reference: 'LOST', payer })
  await merchant('POST', '/api/v1/order/search', { order_id: data.order_id })
  await fixture.internal('GET', `/internal/v1/transactions/${data.transaction_id}`)
  await eventually(() => expect(lines.join()).toContain('/internal/v1/transactions/:id'))
  const logged = lines.join('\n')
  expect(logged).toContain('/api/v1/order/search')
  expect(logged).not.toMatch(/secret|Asha|asha@example|9876543210|checkout\/|upi:|Bearer/iu)
  for (const [token] of CALLER_TOKENS.values()) expect(logged).not.toContain(token)
  expect(logged).not.toContain(fixture.config.networkApiKey)
})
