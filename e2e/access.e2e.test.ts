/** Authentication and authorization at the gateway: tokens, revocations, other merchants' orders (design, section 5). */
import { anOrder, eventually, jsonClient, makeToken, type JsonAnswer, type TokenClaims } from '@gateway/testkit'
import { findLeaks } from './support/leaks.ts'
import { openMerchant, type Merchant } from './support/merchant.ts'
import { sharedStack, type SharedStack } from './support/running-stack.ts'

/** A problem document (RFC 9457, with the API's `code`). */
interface ProblemDetails {
  readonly code: string
  readonly request_id: string
}

let stack: SharedStack
let merchant: Merchant
const presented: string[] = []

beforeAll(async () => {
  stack = sharedStack()
  merchant = await openMerchant(stack.description, 'Access Stores')
}, 300_000)

// Proves: api/order-not-found
test("another merchant's order is not found", async () => {
  const order = anOrder()
  await merchant.gateway.orders.create(order)
  const other = await openMerchant(stack.description, 'Other Stores')
  expect(await other.gateway.orders.find(order.order_id)).toBeUndefined()
  expect((await other.gateway.orders.create({ ...order, amount: '1.00' })).created).toBe(true)
  expect((await merchant.search(order.order_id)).transaction.amount).toBe('499.00')
})

function searchWith(authorization?: string): Promise<JsonAnswer<ProblemDetails>> {
  if (authorization !== undefined) presented.push(authorization.replace(/^\w+ /u, ''))
  const call = jsonClient(stack.description.base_url, authorization === undefined ? {} : { authorization })
  return call('POST', '/api/v1/order/search', { order_id: 'ORD-0' })
}

// Proves: faults/token-missing-garbled
test.each<[string, string | undefined, string]>([
  ['missing', undefined, 'token_missing'],
  ['empty', 'Bearer ', 'token_missing'],
  ['of another scheme', 'Basic abc', 'token_missing'],
  ['garbled', 'Bearer eyJhbGciOiJkaXIifQ..a.b.c', 'token_invalid'],
  ['not a JWE', 'Bearer abc', 'token_invalid'],
])('a token that is %s is refused', async (_what, authorization, code) => {
  const { status, headers, body } = await searchWith(authorization)
  expect([status, headers.get('content-type'), body.code]).toEqual([
    401,
    expect.stringContaining('application/problem+json'),
    code,
  ])
  expect(body.request_id).toBe(headers.get('x-request-id'))
})

const nowSeconds = Math.floor(Date.now() / 1000)

test.each<[string, TokenClaims, string]>([
  ['expired', { issuedAt: nowSeconds - 700 }, 'token_expired'],
  ['for the other environment', { audience: 'production' }, 'token_invalid'],
  ['valid for too long', { lifetimeSeconds: 601 }, 'token_invalid'],
  ['issued in the future', { issuedAt: nowSeconds + 300 }, 'token_invalid'],
])('a token that is %s is refused', async (_what, claims, code) => {
  const { status, body } = await searchWith(`Bearer ${await makeToken(merchant.credentials, claims)}`)
  expect([status, body.code]).toEqual([401, code])
})

// Proves: faults/token-with-another-secret
test("a token made with another merchant's secret is refused", async () => {
  const { key_secret } = (await openMerchant(stack.description, 'Forgers')).credentials
  const { status, body } = await searchWith(`Bearer ${await makeToken({ ...merchant.credentials, key_secret })}`)
  expect([status, body.code]).toEqual([401, 'token_invalid'])
})

// Proves: api/revoked-credential-stops-within-second
test('a revoked credential stops working', async () => {
  const { merchant_id, key_id, key_secret } = (await openMerchant(stack.description, 'Leavers')).credentials
  const authorization = `Bearer ${await makeToken({ key_id, key_secret })}`
  expect((await searchWith(authorization)).status).toBe(404)
  const operator = jsonClient(stack.description.operator.url, { authorization: `Bearer ${stack.description.operator.token}` })
  expect((await operator('DELETE', `/operator/v1/merchants/${merchant_id}/credentials/${key_id}`)).status).toBe(204)
  await eventually(async () => expect((await searchWith(authorization)).status).toBe(401))
})

// Runs last: it checks the logs of all tests before it.
test('no log contains a token, valid or refused, or a secret', async () => {
  const secrets = [
    ...presented.filter((token) => token.length > 10),
    await merchant.gateway.token(),
    merchant.credentials.key_secret,
  ]
  expect(findLeaks(stack.logs(), secrets)).toEqual([])
})
