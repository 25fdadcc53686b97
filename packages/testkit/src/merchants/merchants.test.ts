import { randomBytes } from 'node:crypto'
import { jwtDecrypt } from 'jose'
import { startJsonServer, type JsonServer } from '../json-server.ts'
import { anOrder } from '../orders.ts'
import { connectApi, type ApiConnection } from './connection.ts'
import { createMerchant } from './create-merchant.ts'
import { createMerchantClient, type MerchantClient } from './merchant-client.ts'
import { makeToken, tokenSource } from './token.ts'

const credentials = { merchant_id: 'M1', key_id: 'key_sandbox_1', key_secret: randomBytes(32).toString('base64url') }
const key = Buffer.from(credentials.key_secret, 'base64url')
let api: JsonServer
let connection: ApiConnection
let merchant: MerchantClient
beforeEach(async () => {
  api = await startJsonServer(() => ({ status: 200, body: { data: {} } }))
  connection = connectApi(api.url, { timeoutMs: 300 })
  merchant = createMerchantClient(connection, credentials)
})
afterEach(async () => {
  await connection.close()
  await api.stop()
})

test('a token is an encrypted JWT of the credential, valid for ten minutes', async () => {
  const { payload, protectedHeader } = await jwtDecrypt(await makeToken(credentials), key)
  expect(protectedHeader).toEqual({ alg: 'dir', enc: 'A256GCM', kid: 'key_sandbox_1' })
  expect(payload).toMatchObject({ iss: 'key_sandbox_1', aud: 'sandbox', jti: expect.any(String) })
  expect(Number(payload.exp) - Number(payload.iat)).toBe(600)
})

test('a token is kept until a minute before its end, then replaced', async () => {
  let nowMs = Date.now()
  const token = tokenSource(credentials, () => nowMs)
  const first = await token()
  nowMs += 539_000
  expect(await token()).toBe(first)
  nowMs += 1_000
  expect(await token()).not.toBe(first)
})

test.each<[string, () => Promise<unknown>, [string, string, unknown]]>([
  ['search', () => merchant.search('ORD-1'), ['POST', '/api/v1/order/search', { order_id: 'ORD-1' }]],
  ['readEndpoint', () => merchant.readEndpoint(), ['GET', '/api/v1/webhooks/endpoint', undefined]],
  [
    'registerEndpoint',
    () => merchant.registerEndpoint('https://merchant.example/hooks'),
    ['PUT', '/api/v1/webhooks/endpoint', { url: 'https://merchant.example/hooks' }],
  ],
  ['rotateSecret', () => merchant.rotateSecret(), ['POST', '/api/v1/webhooks/endpoint/rotate-secret', undefined]],
  ['deliveries', () => merchant.deliveries(), ['GET', '/api/v1/webhooks/deliveries', undefined]],
  [
    'simulate',
    () => merchant.simulate({ order_id: 'ORD-1', outcome: 'success' }),
    ['POST', '/api/v1/sandbox/simulate', { order_id: 'ORD-1', outcome: 'success' }],
  ],
])('%s is one call with the token', async (_name, call, [method, path, body]) => {
  await call()
  expect(api.requests).toMatchObject([{ method, path, headers: { authorization: `Bearer ${await merchant.token()}` } }])
  expect(api.requests[0]?.body).toEqual(body)
})

test('create sends the order; an answer has status, headers, text, time and the parsed body', async () => {
  const order = anOrder()
  api.answer(() => ({ status: 409, body: { code: 'order_id_conflict' } }))
  const answer = await merchant.create(order)
  expect(api.requests[0]).toMatchObject({ path: '/api/v1/orders/create', body: order })
  expect(answer).toMatchObject({ status: 409, body: { code: 'order_id_conflict' }, text: '{"code":"order_id_conflict"}' })
  expect(answer.headers['content-type']).toBe('application/json')
  expect(answer.tookMs).toBeGreaterThan(0)
})

test('a filter becomes the query; a text that is no JSON is the body as it is', async () => {
  api.answer(() => ({ status: 502, body: 'bad gateway' }))
  expect((await merchant.deliveries({ order_id: 'ORD-1', limit: 5 })).body).toBe('bad gateway')
  expect(Object.fromEntries(api.requests[0]?.query ?? [])).toEqual({ order_id: 'ORD-1', limit: '5' })
})

test('connections are kept alive, and shared by the clients of several merchants', async () => {
  const other = createMerchantClient(connection, { ...credentials, merchant_id: 'M2', key_id: 'key_sandbox_2' })
  for (let call = 0; call < 6; call++) for (const one of [merchant, other]) await one.search('ORD-1')
  expect(new Set(api.requests.map(({ headers }) => headers['authorization'])).size).toBe(2)
  // Two, since a connection is not yet free in the moment in which its answer is complete.
  expect(new Set(api.requests.map(({ remotePort }) => remotePort)).size).toBeLessThanOrEqual(2)
})

test('no answer in time and a cut connection are rejections with a code, and nothing is sent twice', async () => {
  api.answer(() => 'hang')
  await expect(merchant.search('ORD-1')).rejects.toMatchObject({ code: 'UND_ERR_HEADERS_TIMEOUT' })
  api.answer(() => 'reset')
  await expect(merchant.search('ORD-2')).rejects.toMatchObject({ code: expect.any(String) })
  expect(api.requests.map(({ body }) => body)).toEqual([{ order_id: 'ORD-1' }, { order_id: 'ORD-2' }])
})

test('the operator creates a merchant; a refusal throws and quotes the answer', async () => {
  api.answer(() => ({ status: 201, body: credentials }))
  expect(await createMerchant({ url: api.url, token: 'operator' }, { name: 'Blue Shirts' })).toEqual(credentials)
  expect(api.requests[0]).toMatchObject({
    path: '/operator/v1/merchants',
    headers: { authorization: 'Bearer operator' },
    body: { name: 'Blue Shirts', vpa: expect.stringMatching(/^merchant\.[0-9a-f]{8}@sandbox$/u), mcc: '5311' },
  })
  api.answer(() => ({ status: 401, body: { code: 'token_invalid' } }))
  await expect(createMerchant({ url: api.url, token: 'x' }, { name: 'B' })).rejects.toThrow(/401.*token_invalid/u)
})
