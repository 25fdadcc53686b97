import type { AuthTokenResponse, ExchangedTokens } from '@gateway/contracts'
import { dropDatabase, readJson, send, TestAuthToken, testConfig, type TestCredential } from './running-auth-token.ts'

const config = testConfig()
let auth: TestAuthToken
let merchant: TestCredential

beforeAll(async () => {
  auth = await TestAuthToken.start(config)
  merchant = await auth.newMerchant()
})
afterAll(async () => {
  await auth.stop()
  await dropDatabase(config)
})

const ask = (body: unknown) => send('POST', `${auth.url}/api/v1/auth/token`, body)

// Proves: spec/flow-step-1-encrypted-token, api/token-endpoint
test('an issued token can be exchanged like one that the merchant made', async () => {
  const response = await ask({ key_id: merchant.key_id, key_secret: merchant.key_secret })
  expect(response.status).toBe(200)
  expect(response.headers.get('cache-control')).toBe('no-store')
  const issued = await readJson<AuthTokenResponse>(response)
  expect(issued).toEqual({ token: expect.any(String), token_type: 'Bearer', expires_in: 600 })

  const exchanged = await readJson<ExchangedTokens>(await auth.exchange(issued.token))
  expect(exchanged.merchant_id).toBe(merchant.merchant_id)
})

// Proves: api/wrong-secret-and-unknown-key-look-alike
test('a wrong secret, an unknown key and a revoked key get the same answer', async () => {
  const revoked = await auth.newMerchant('Revoked')
  await auth.revoke(revoked)
  const answers = await Promise.all(
    [
      { key_id: merchant.key_id, key_secret: 'A'.repeat(43) },
      { key_id: merchant.key_id, key_secret: `${merchant.key_secret} ` },
      { key_id: 'key_sandbox_nobody', key_secret: merchant.key_secret },
      { key_id: 'nobody', key_secret: merchant.key_secret },
      { key_id: revoked.key_id, key_secret: revoked.key_secret },
    ].map(async (body) => {
      const response = await ask(body)
      const { request_id: _id, ...problem } = await readJson<{ request_id: string; code: string }>(response)
      return { status: response.status, ...problem }
    }),
  )
  for (const answer of answers) expect(answer).toEqual(answers[0])
  expect(answers[0]).toMatchObject({ status: 401, code: 'credentials_invalid' })
})

// Proves: api/unknown-request-properties-refused
test.each([
  ['nothing', {}],
  ['an operator object', { key_id: { $gt: '' }, key_secret: 'x' }],
  ['one field too many', { key_id: 'a', key_secret: 'b', admin: true }],
])('%s is 422', async (_name, body) => {
  expect((await ask(body)).status).toBe(422)
})
