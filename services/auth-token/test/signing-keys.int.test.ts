import { decodeProtectedHeader, exportJWK, generateKeyPair, SignJWT, type JSONWebKeySet } from 'jose'
import type { ExchangedTokens } from '@gateway/contracts'
import { createInternalTokenVerifier, INTERNAL_TOKEN_ISSUER } from '@gateway/service-kit/merchant-auth'
import { dropDatabase, merchantToken, readJson, TestAuthToken, testConfig, withDatabase } from './running-auth-token.ts'

const config = testConfig()
let nowMs = Date.now()
const now = () => new Date(nowMs)
let replicas: TestAuthToken[]

beforeAll(async () => {
  replicas = await Promise.all([1, 2, 3].map(() => TestAuthToken.start(config, { now })))
})
afterAll(async () => {
  for (const replica of replicas) await replica.stop()
  await dropDatabase(config)
})

const jwksOf = async (auth: TestAuthToken) => readJson<JSONWebKeySet>(await fetch(`${auth.url}/internal/v1/jwks.json`))
const kidsOf = async (auth: TestAuthToken) => (await jwksOf(auth)).keys.map(({ kid }) => kid)

test('replicas that start together share one key, and publish only its public half', async () => {
  const sets = await Promise.all(replicas.map(jwksOf))
  expect(sets[0]?.keys).toHaveLength(1)
  for (const set of sets) expect(set).toEqual(sets[0])
  expect(Object.keys(sets[0]?.keys[0] ?? {}).toSorted()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x'])
})

// Proves: api/signing-keys-rotate
test('a key that is too old is replaced: published first, then used, the old one kept until its tokens have expired', async () => {
  const [auth, other] = [replicas[0], replicas[1]]
  if (!auth || !other) throw new Error('two replicas are running')
  const merchant = await auth.newMerchant()
  const exchange = async (replica: TestAuthToken) => {
    const token = await merchantToken(merchant, { nowSeconds: Math.floor(nowMs / 1000) })
    return (await readJson<ExchangedTokens>(await replica.exchange(token))).internal_tokens['order-api'] ?? ''
  }
  const kidOf = (token: string) => decodeProtectedHeader(token).kid
  const [first] = await kidsOf(auth)
  expect(kidOf(await exchange(auth))).toBe(first)

  nowMs += config.signingKeyRotateAfterMs
  const last = await exchange(auth)
  expect(kidOf(last)).toBe(first)
  const both = await kidsOf(other)
  expect(both).toHaveLength(2)
  expect(both[0]).toBe(first)

  nowMs += 60_000
  expect(kidOf(await exchange(other))).toBe(both[1])
  expect(kidOf(await exchange(auth))).toBe(both[1])
  const verify = createInternalTokenVerifier({
    jwksUrl: `${auth.url}/internal/v1/jwks.json`,
    environment: 'sandbox',
    audience: 'order-api',
    now: () => new Date(nowMs - 1000),
  })
  await expect(verify(last)).resolves.toMatchObject({ merchantId: merchant.merchant_id })

  nowMs += 11 * 60_000
  expect(await kidsOf(other)).toEqual([both[1]])
})

// Proves: api/public-key-comes-from-the-private-one
test('a key that was written into the database without the master key is not published, and its tokens are refused', async () => {
  const [auth] = replicas
  if (!auth) throw new Error('replicas are running')
  const [before] = (await jwksOf(auth)).keys
  const attacker = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true })
  const { d: written } = await exportJWK(attacker.privateKey)
  const stored = await withDatabase(config, (db) => db.collection('signing_keys').find({}).toArray())
  await withDatabase(config, (db) => db.collection('signing_keys').updateMany({}, { $set: { sealed_private: written } }))
  expect((await fetch(`${auth.url}/internal/v1/jwks.json`)).status).toBe(500)
  for (const { kid, sealed_private } of stored) {
    await withDatabase(config, (db) => db.collection('signing_keys').updateOne({ kid }, { $set: { sealed_private } }))
  }
  expect((await jwksOf(auth)).keys).toEqual([before])

  const verify = createInternalTokenVerifier({
    jwksUrl: `${auth.url}/internal/v1/jwks.json`,
    environment: 'sandbox',
    audience: 'order-api',
    now,
  })
  const forged = await new SignJWT({ env: 'sandbox', cid: 'key_sandbox_forged', name: '', vpa: '', mcc: '', scp: [] })
    .setProtectedHeader({ alg: 'EdDSA', kid: before?.kid ?? '' })
    .setIssuer(INTERNAL_TOKEN_ISSUER)
    .setAudience('order-api')
    .setSubject('M1')
    .setExpirationTime(Math.floor(nowMs / 1000) + 60)
    .sign(attacker.privateKey)
  await expect(verify(forged)).rejects.toMatchObject({ code: 'token_invalid' })

  // A replica that starts now signs with the key that it publishes.
  const started = await TestAuthToken.start(config, { now })
  replicas.push(started)
  const merchant = await started.newMerchant()
  const token = await merchantToken(merchant, { nowSeconds: Math.floor(nowMs / 1000) })
  const { internal_tokens: tokens } = await readJson<ExchangedTokens>(await started.exchange(token))
  await expect(verify(tokens['order-api'] ?? '')).resolves.toMatchObject({ merchantId: merchant.merchant_id })
})
