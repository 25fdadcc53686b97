import { randomBytes } from 'node:crypto'
import { jwtDecrypt } from 'jose'
import { startJsonServer, type JsonServer } from './json-server.ts'
import { connectApi, createMerchant, makeToken, type ApiConnection } from './merchants.ts'

const credentials = { merchant_id: 'M1', key_id: 'key_sandbox_1', key_secret: randomBytes(32).toString('base64url') }
let api: JsonServer
let connection: ApiConnection
beforeEach(async () => {
  api = await startJsonServer(() => ({ status: 200, body: { data: {} } }))
  connection = connectApi(api.url, { timeoutMs: 300 })
})
afterEach(async () => {
  await connection.close()
  await api.stop()
})

test('a token is an encrypted JWT of the credential, valid for ten minutes', async () => {
  const key = Buffer.from(credentials.key_secret, 'base64url')
  const { payload, protectedHeader } = await jwtDecrypt(await makeToken(credentials), key)
  expect(protectedHeader).toEqual({ alg: 'dir', enc: 'A256GCM', kid: 'key_sandbox_1' })
  expect(payload).toMatchObject({ iss: 'key_sandbox_1', aud: 'sandbox', jti: expect.any(String) })
  expect(Number(payload.exp) - Number(payload.iat)).toBe(600)
})

test('an answer has status, headers, text and the parsed body; a text that is no JSON is the body as it is', async () => {
  api.answer(() => ({ status: 409, body: { code: 'order_id_conflict' } }))
  const answer = await connection.call('POST', '/api/v1/orders/create', { order_id: 'ORD-1' }, { authorization: 'Bearer T' })
  expect(api.requests).toMatchObject([
    { method: 'POST', path: '/api/v1/orders/create', body: { order_id: 'ORD-1' }, headers: { authorization: 'Bearer T' } },
  ])
  expect(answer).toMatchObject({ status: 409, body: { code: 'order_id_conflict' }, text: '{"code":"order_id_conflict"}' })
  expect(answer.headers['content-type']).toBe('application/json')
  api.answer(() => ({ status: 502, body: 'bad gateway' }))
  expect((await connection.call('GET', '/')).body).toBe('bad gateway')
})

test('its fetch sends method, path, query, headers and text on the same connections', async () => {
  api.answer(() => ({ status: 429, body: { code: 'rate_limited' } }))
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"a":1}' }
  for (let call = 0; call < 4; call++) {
    const answer = await connection.fetch(`${api.url}/api/v1/orders?limit=5`, init)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([429, 'application/json'])
    expect(await answer.json()).toEqual({ code: 'rate_limited' })
  }
  expect(api.requests[0]).toMatchObject({ method: 'POST', path: '/api/v1/orders', body: { a: 1 } })
  expect(api.requests[0]?.query.get('limit')).toBe('5')
  // Two connections, because a connection is not free yet at the moment when its answer is complete.
  expect(new Set(api.requests.map(({ remotePort }) => remotePort)).size).toBeLessThanOrEqual(2)
})

test('no answer in time and a cut connection are rejections with a code, and nothing is sent twice', async () => {
  api.answer(() => 'hang')
  await expect(connection.call('GET', '/1')).rejects.toMatchObject({ code: 'UND_ERR_HEADERS_TIMEOUT' })
  await expect(connection.fetch(`${api.url}/2`)).rejects.toMatchObject({ code: 'UND_ERR_HEADERS_TIMEOUT' })
  await expect(connection.fetch(`${api.url}/3`, { signal: AbortSignal.timeout(1) })).rejects.toThrow('aborted')
  api.answer(() => 'reset')
  await expect(connection.call('GET', '/4')).rejects.toMatchObject({ code: expect.any(String) })
  expect(api.requests.map(({ path }) => path).filter((path) => path !== '/3')).toEqual(['/1', '/2', '/4'])
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
