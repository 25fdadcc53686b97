import {
  dropDatabase,
  merchantToken,
  readJson,
  send,
  TestAuthToken,
  testConfig,
  type TestCredential,
} from './running-auth-token.ts'

const [sandbox, production] = [testConfig('sandbox'), testConfig('production')]
let auth: TestAuthToken
let live: TestAuthToken
beforeAll(async () => {
  auth = await TestAuthToken.start(sandbox)
  live = await TestAuthToken.start(production)
})
afterAll(async () => {
  for (const service of [auth, live]) await service.stop()
  for (const config of [sandbox, production]) await dropDatabase(config)
})

// Proves: spec/separate-credentials-per-environment, api/credential-format
test.each([
  ['sandbox', /^key_sandbox_[0-9a-f]{24}$/u],
  ['production', /^key_live_[0-9a-f]{24}$/u],
])('a credential of %s names its environment, and its secret is 32 random bytes', async (environment, pattern) => {
  const service = environment === 'sandbox' ? auth : live
  const [one, other] = [await service.newMerchant(), await service.newMerchant()]
  for (const { key_id: keyId, key_secret: secret } of [one, other]) {
    expect(keyId).toMatch(pattern)
    expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/u)
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32)
  }
  expect(one.key_secret).not.toBe(other.key_secret)
})

// Proves: api/secret-shown-once
test('a second credential has a key and a secret of its own, and neither is shown again', async () => {
  const first = await auth.newMerchant()
  const answer = await auth.operator('POST', `/merchants/${first.merchant_id}/credentials`)
  const second = await readJson<TestCredential>(answer)
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(second.key_id).not.toBe(first.key_id)
  expect(second.key_secret).not.toBe(first.key_secret)
  for (const credential of [first, second]) expect((await auth.exchange(await merchantToken(credential))).status).toBe(200)
  const listed = await (await auth.operator('GET', '/merchants?limit=200')).text()
  expect(listed).toContain(second.key_id)
  for (const { key_secret: secret } of [first, second]) expect(listed).not.toContain(secret)
})

// Proves: spec/two-environments, spec/separate-credentials-per-environment
test('a credential of one environment is unknown in the other, whatever audience its token names', async () => {
  const [mine, theirs] = [await auth.newMerchant(), await live.newMerchant()]
  const attempts: [TestAuthToken, TestCredential, string][] = [
    [auth, theirs, 'sandbox'],
    [auth, theirs, 'production'],
    [live, mine, 'sandbox'],
    [live, mine, 'production'],
  ]
  for (const [service, credential, aud] of attempts) {
    const response = await service.exchange(await merchantToken(credential, { claims: { aud } }))
    expect([response.status, (await readJson<{ code: string }>(response)).code]).toEqual([401, 'token_invalid'])
    const asked = await send('POST', `${service.url}/api/v1/auth/token`, {
      key_id: credential.key_id,
      key_secret: credential.key_secret,
    })
    expect(asked.status).toBe(401)
  }
  expect((await live.exchange(await merchantToken(theirs, { claims: { aud: 'production' } }))).status).toBe(200)
})
