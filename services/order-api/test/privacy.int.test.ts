import type { CreateOrderResponse, OrderCreated } from '@gateway/contracts'
import type { Log } from '@gateway/service-kit'
import { anOrder, eventually, startTestTokens, type TestTokens } from '@gateway/testkit'
import { startFixture, type Fixture } from './fixture.ts'

const lines: string[] = []
const keep = (message: string, fields?: object) => void lines.push(JSON.stringify({ message, ...fields }))
const log: Log = { info: keep, warn: keep, error: keep, debug: keep }
const customer = { id: 'C-SECRET', name: 'Asha Secret', email: 'secret@example.com', phone: '+919876500001' }
const order = anOrder({ customer, udf1: 'udf-secret', description: 'description-secret' })

let fixture: Fixture
let tokens: TestTokens
beforeAll(async () => {
  fixture = await startFixture(undefined, log)
  tokens = await startTestTokens()
})
afterAll(async () => {
  await tokens.stop()
  await fixture.stop()
})

// Proves: api/checkout-link-is-not-stored, faults/logs-hold-no-personal-data
test('the shopper is in the order, and neither in the event nor in any log line; the link is stored nowhere', async () => {
  const merchant = await fixture.as('M1')
  const { body } = await merchant<CreateOrderResponse>('POST', '/api/v1/orders/create', order)
  await merchant('POST', '/api/v1/orders/create', { ...order, amount: '1e3' })
  await merchant('POST', '/api/v1/orders/create', { ...order, udf2: 'other' })
  const stored = JSON.stringify(await fixture.documents())
  expect(stored).toContain('secret@example.com')
  const [, mac = ''] = body.checkout.url.split(`${body.data.transaction.id}-`)
  expect(mac).toHaveLength(24)
  expect(stored).not.toContain(mac)

  const events = await eventually(async () => {
    const taken = await fixture.sandbox.takeAll<OrderCreated>(fixture.queue)
    expect(taken).toHaveLength(1)
    return taken
  })
  expect(events[0]?.data.udf1).toBe('udf-secret')
  expect(JSON.stringify(events)).not.toMatch(/C-SECRET|Asha Secret|secret@example\.com|9876500001/u)

  await eventually(() => expect(lines.filter((line) => line.includes('/api/v1/orders/create'))).toHaveLength(3))
  expect(lines.join()).not.toMatch(/secret|9876500001|checkout\/|upi:/iu)
  expect(lines.join()).not.toContain(mac)
})

// Proves: api/every-service-verifies-internal-token, api/only-token-is-trusted
test('an internal token signed with another key is refused, whatever other headers say', async () => {
  const client = await fixture.as('M1')
  const headers = { ...(await tokens.authorizationFor({ merchantId: 'M1' })), 'x-merchant-id': 'M1', 'x-internal': '1' }
  expect(await client('POST', '/api/v1/orders/create', anOrder(), headers)).toMatchObject({
    status: 401,
    body: { code: 'token_invalid' },
  })
})
