/** Who is let in by the gateway, and to what: tokens, revocations, other merchants' orders (design, section 5). */
import { anOrder, eventually, jsonClient, type JsonAnswer } from '@gateway/testkit'
import { findLeaks } from './support/leaks.ts'
import { connectMerchant, createMerchant, makeToken, type Merchant, type TokenClaims } from './support/merchant.ts'
import { startStack, type RunningStack } from './support/running-stack.ts'

/** An error as the API answers it (RFC 9457, with our `code`). */
interface ProblemDetails {
  readonly code: string
  readonly request_id: string
}

let stack: RunningStack
let merchant: Merchant
const presented: string[] = []

beforeAll(async () => {
  stack = await startStack()
  merchant = await connectMerchant(stack.description, await createMerchant(stack.description, 'Access Stores'))
}, 300_000)

afterAll(() => stack.remove(), 300_000)

test("another merchant's order does not exist", async () => {
  const order = anOrder()
  await merchant.create(order)
  const stranger = await connectMerchant(stack.description, await createMerchant(stack.description, 'Strangers'))
  const answer = await stranger.search(order.order_id)
  expect([answer.status, answer.body]).toEqual([404, expect.objectContaining({ code: 'order_not_found' })])
  expect((await stranger.create({ ...order, amount: '1.00' })).status).toBe(201)
  expect((await merchant.search(order.order_id)).body.data.transaction.amount).toBe('499.00')
})

function searchWith(authorization?: string): Promise<JsonAnswer<ProblemDetails>> {
  if (authorization !== undefined) presented.push(authorization.replace(/^\w+ /u, ''))
  const call = jsonClient(stack.description.base_url, authorization === undefined ? {} : { authorization })
  return call('POST', '/api/v1/order/search', { order_id: 'ORD-0' })
}

test.each<[string, string | undefined, string]>([
  ['missing', undefined, 'token_missing'],
  ['empty', 'Bearer ', 'token_missing'],
  ['of another scheme', 'Basic abc', 'token_missing'],
  ['garbled', 'Bearer eyJhbGciOiJkaXIifQ..a.b.c', 'token_invalid'],
  ['no token at all', 'Bearer abc', 'token_invalid'],
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
  ['too long-lived', { lifetimeSeconds: 601 }, 'token_invalid'],
  ['of the future', { issuedAt: nowSeconds + 300 }, 'token_invalid'],
])('a token that is %s is refused', async (_what, claims, code) => {
  const { status, body } = await searchWith(`Bearer ${await makeToken(merchant.credentials, claims)}`)
  expect([status, body.code]).toEqual([401, code])
})

test("a token under another merchant's key is refused", async () => {
  const { key_secret } = await createMerchant(stack.description, 'Forgers')
  const { status, body } = await searchWith(`Bearer ${await makeToken({ ...merchant.credentials, key_secret })}`)
  expect([status, body.code]).toEqual([401, 'token_invalid'])
})

test('a revoked credential stops working', async () => {
  const { merchant_id, key_id, key_secret } = await createMerchant(stack.description, 'Leavers')
  const authorization = `Bearer ${await makeToken({ key_id, key_secret })}`
  expect((await searchWith(authorization)).status).toBe(404)
  const operator = jsonClient(stack.description.operator.url, { authorization: `Bearer ${stack.description.operator.token}` })
  expect((await operator('DELETE', `/operator/v1/merchants/${merchant_id}/credentials/${key_id}`)).status).toBe(204)
  await eventually(async () => expect((await searchWith(authorization)).status).toBe(401))
})

// The last one: it looks at what all the others have left.
test('no log holds a token, whole or refused, or a secret', async () => {
  const secrets = [...presented.filter((token) => token.length > 10), await merchant.token(), merchant.credentials.key_secret]
  expect(findLeaks(stack.logs(), secrets)).toEqual([])
})
