import { generateKeyPair, SignJWT } from 'jose'
import { DEFAULT_SCOPES, Refused, Unavailable } from '@gateway/contracts'
import { createInternalTokenVerifier, INTERNAL_TOKEN_ISSUER, makeIdentify } from './merchant-auth.ts'

const newKeys = () => generateKeyPair('EdDSA', { crv: 'Ed25519' })
const [ours, theirs] = [await newKeys(), await newKeys()]
const nowSeconds = 1_800_000_000
const claims = {
  iss: INTERNAL_TOKEN_ISSUER,
  aud: 'order-api',
  sub: 'mer_1',
  env: 'sandbox',
  cid: 'key_sandbox_1',
  name: 'Asha Stores',
  vpa: 'asha@sandbox',
  mcc: '5411',
  scp: DEFAULT_SCOPES,
  iat: nowSeconds,
  exp: nowSeconds + 60,
}

const token = (changed: object = {}, key = ours.privateKey) =>
  new SignJWT({ ...claims, ...changed }).setProtectedHeader({ alg: 'EdDSA' }).sign(key)

function start() {
  const clock = { seconds: nowSeconds }
  const verify = createInternalTokenVerifier({
    environment: 'sandbox',
    audience: 'order-api',
    now: () => new Date(clock.seconds * 1000),
    keys: async () => ours.publicKey,
  })
  return { verify, clock }
}

test('a good token says who calls', async () => {
  expect(await start().verify(await token())).toEqual({
    merchantId: 'mer_1',
    credentialId: 'key_sandbox_1',
    name: 'Asha Stores',
    vpa: 'asha@sandbox',
    mcc: '5411',
    scopes: DEFAULT_SCOPES,
  })
})

// Proves: access/each-service-enforces-scopes
test('a credential does only what its scopes allow, and the refusal names the missing one', async () => {
  const identify = makeIdentify(start().verify)
  const requestWith = (bearer: string) => ({ get: () => `Bearer ${bearer}` })
  const readOnly = requestWith(await token({ scp: ['read', 'a scope of the future'] }))
  await expect(identify(readOnly, 'read')).resolves.toMatchObject({ scopes: ['read'] })
  await expect(identify(readOnly, 'orders')).rejects.toMatchObject({
    code: 'scope_missing',
    message: expect.stringContaining('"orders"'),
  })
  const usual = requestWith(await token())
  for (const scope of DEFAULT_SCOPES) await identify(usual, scope)
  for (const scope of ['refunds', 'reports'] as const) {
    await expect(identify(usual, scope)).rejects.toMatchObject({ code: 'scope_missing' })
  }
})

// Proves: api/every-service-verifies-internal-token, api/internal-tokens-are-for-one-service
test.each<[string, () => Promise<string> | string]>([
  ['signed with another key', () => token({}, theirs.privateKey)],
  ['expired', () => token({ exp: nowSeconds - 1 })],
  ['for the other environment', () => token({ env: 'production' })],
  ['of another issuer', () => token({ iss: 'somebody' })],
  ['for another audience', () => token({ aud: 'somebody' })],
  ['for another service', () => token({ aud: 'payment-status' })],
  ['without an end', () => token({ exp: undefined })],
  ['without a merchant', () => token({ sub: undefined })],
  ['without a credential', () => token({ cid: undefined })],
  ['signed with a shared secret', () => new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.alloc(32, 1))],
  ['not signed at all', () => `${encoded({ alg: 'none' })}.${encoded(claims)}.`],
  ['garbled', () => 'nonsense'],
])('a token that is %s is refused', async (_fault, make) => {
  const refused = start().verify(await make())
  await expect(refused).rejects.toBeInstanceOf(Refused)
  await expect(refused).rejects.toMatchObject({ code: 'token_invalid' })
})

// Proves: api/every-service-verifies-internal-token
test('one that was verified before is refused once it has ended', async () => {
  const { verify, clock } = start()
  const good = await token()
  clock.seconds += 59
  await expect(verify(good)).resolves.toMatchObject({ merchantId: 'mer_1' })
  clock.seconds += 1
  await expect(verify(good)).rejects.toMatchObject({ code: 'token_invalid' })
})

test('a key server that is away is not the token’s fault', async () => {
  const verify = createInternalTokenVerifier({
    jwksUrl: 'http://127.0.0.1:9/jwks',
    environment: 'sandbox',
    audience: 'order-api',
    now: () => new Date(),
  })
  const refused = verify(await token())
  await expect(refused).rejects.toBeInstanceOf(Unavailable)
  await expect(refused).rejects.toMatchObject({ code: 'keys_unavailable' })
})

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
