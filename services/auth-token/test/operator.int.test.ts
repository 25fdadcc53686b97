import type { Revocations } from '@gateway/contracts'
import type { Log } from '@gateway/service-kit'
import {
  dropDatabase,
  GATEWAY_TOKEN,
  OPERATOR_TOKEN,
  readJson,
  TestAuthToken,
  testConfig,
  withDatabase,
  type TestCredential,
} from './running-auth-token.ts'

interface MerchantPage {
  readonly data: { readonly merchants: { merchant_id: string; credentials: { key_id: string; status: string }[] }[] }
  readonly next_cursor: string | null
}

const config = testConfig()
const lines: string[] = []
const keep = (message: string, fields?: object) => void lines.push(JSON.stringify({ message, ...fields }))
const log: Log = { info: keep, warn: keep, error: keep, debug: keep }
let replicas: [TestAuthToken, TestAuthToken]
let auth: TestAuthToken

beforeAll(async () => {
  replicas = await Promise.all([TestAuthToken.start(config, { log }), TestAuthToken.start(config, { log })])
  auth = replicas[0]
})
afterAll(async () => {
  for (const replica of replicas) await replica.stop()
  await dropDatabase(config)
})

const addCredential = (replica: TestAuthToken, merchantId: string) =>
  replica.operator('POST', `/merchants/${merchantId}/credentials`)

// Proves: api/at-most-two-live-credentials
test('a merchant has at most two active credentials, also when replicas are called concurrently', async () => {
  const { merchant_id: merchantId } = await auth.newMerchant()
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) => addCredential(replicas[index % 2] ?? auth, merchantId)),
  )
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array.from({ length: 7 }, () => 409)])
  const refused = answers.find(({ status }) => status === 409)
  expect(await refused?.json()).toMatchObject({ code: 'too_many_credentials' })
})

// Proves: api/operators-manage-merchants
test('after a revocation a new credential is allowed; revoking again changes nothing', async () => {
  const first = await auth.newMerchant()
  await addCredential(auth, first.merchant_id)
  const revoked = await Promise.all([auth.revoke(first), auth.revoke(first), auth.revoke(first)])
  expect(revoked.map(({ status }) => status)).toEqual([204, 204, 204])
  expect((await addCredential(auth, first.merchant_id)).status).toBe(201)
  expect((await addCredential(auth, first.merchant_id)).status).toBe(409)
})

// Proves: api/secrets-sealed-with-key-id
test('revoking deletes the secret from the database', async () => {
  const merchant = await auth.newMerchant()
  const stored = () =>
    withDatabase(config, (db) =>
      db
        .collection<{ _id: string; credentials: { sealed_secret: string | null }[] }>('merchants')
        .findOne({ _id: merchant.merchant_id }),
    )
  expect((await stored())?.credentials[0]?.sealed_secret).toMatch(/^v1\.test\./u)
  expect(JSON.stringify(await stored())).not.toContain(merchant.key_secret)
  await auth.revoke(merchant)
  expect((await stored())?.credentials[0]).toMatchObject({ status: 'revoked', sealed_secret: null })
})

// Proves: api/operators-manage-merchants
test.each([
  ['POST', '/merchants/mer_nobody/credentials', 'merchant_not_found'],
  ['DELETE', '/merchants/mer_nobody/credentials/key_sandbox_nobody', 'credential_not_found'],
])('%s %s is 404 %s', async (method, path, code) => {
  const response = await auth.operator(method, path)
  expect(response.status).toBe(404)
  expect(await response.json()).toMatchObject({ code })
})

test('a credential cannot be revoked under another merchant’s id', async () => {
  const [mine, theirs] = [await auth.newMerchant(), await auth.newMerchant()]
  expect((await auth.revoke({ ...theirs, merchant_id: mine.merchant_id })).status).toBe(404)
})

test.each([
  ['no name', { vpa: 'a.b@bank', mcc: '5411' }, '/name'],
  ['a blank name', { name: ' ', vpa: 'a.b@bank', mcc: '5411' }, '/name'],
  ['a control character', { name: 'a\u0000', vpa: 'a.b@bank', mcc: '5411' }, '/name'],
  ['no VPA', { name: 'a', vpa: 'bank', mcc: '5411' }, '/vpa'],
  ['an mcc too short', { name: 'a', vpa: 'a.b@bank', mcc: '541' }, '/mcc'],
  ['an operator object', { name: { $gt: '' }, vpa: 'a.b@bank', mcc: '5411' }, '/name'],
])('a merchant with %s is 422', async (_name, body, field) => {
  const response = await auth.operator('POST', '/merchants', body)
  expect(response.status).toBe(422)
  expect(await response.json()).toMatchObject({ errors: [{ field }] })
})

// Proves: api/secret-shown-once, api/operators-manage-merchants
test('pages list every merchant once, and no secret', async () => {
  const made: TestCredential[] = []
  for (let count = 0; count < 3; count++) made.push(await auth.newMerchant())
  const seen: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const text: string = await (await auth.operator('GET', `/merchants?limit=2${cursor && `&cursor=${cursor}`}`)).text()
    expect(text).not.toMatch(/secret|v1\.test/u)
    const page = JSON.parse(text) as MerchantPage
    expect(page.data.merchants.length).toBeLessThanOrEqual(2)
    seen.push(...page.data.merchants.map(({ merchant_id: id }) => id))
    cursor = page.next_cursor
  }
  expect(new Set(seen).size).toBe(seen.length)
  expect(seen).toEqual(expect.arrayContaining(made.map(({ merchant_id: id }) => id)))
})

test.each(['limit=0', 'limit=201', 'limit=x', 'cursor[$gt]=', 'more=1'])('a list with %s is 422', async (query) => {
  expect((await auth.operator('GET', `/merchants?${query}`)).status).toBe(422)
})

// Proves: api/operator-port-and-token
test('operators need their own token, and the services’ port has none of their routes', async () => {
  expect((await auth.operator('GET', '/merchants', undefined, GATEWAY_TOKEN)).status).toBe(401)
  expect((await fetch(`${auth.operatorUrl}/operator/v1/merchants`)).status).toBe(401)
  expect(
    (await fetch(`${auth.url}/operator/v1/merchants`, { headers: { authorization: `Bearer ${OPERATOR_TOKEN}` } })).status,
  ).toBe(404)
})

// Proves: api/operator-actions-are-audited, faults/logs-hold-no-personal-data
test('every action is in the audit log and in the service’s log, and no secret is', async () => {
  const merchant = await auth.newMerchant()
  await addCredential(auth, merchant.merchant_id)
  await addCredential(auth, merchant.merchant_id)
  await auth.revoke(merchant)
  const entries = await withDatabase(config, (db) =>
    db.collection('audit_log').find({ merchant_id: merchant.merchant_id }).sort({ at: 1 }).toArray(),
  )
  const trail = entries
    .filter(({ outcome }) => outcome !== 'asked')
    .map(({ who, action, outcome }) => `${who} ${action} ${outcome}`)
  expect(trail).toEqual([
    'operator merchant.create done',
    'operator credential.create done',
    'operator credential.create refused',
    'operator credential.revoke done',
  ])
  // The refused one changed nothing.
  expect(entries.filter(({ outcome }) => outcome === 'asked')).toHaveLength(3)
  expect(JSON.stringify([entries, lines])).not.toContain(merchant.key_secret)
  expect(lines.filter((line) => line.includes(merchant.merchant_id) && line.includes('operator'))).toHaveLength(4)
})

test('revocations are listed since a given time with an overlap, or of the last hour', async () => {
  const merchant = await auth.newMerchant()
  const before = await readJson<Revocations>(await auth.internal('GET', '/revocations'))
  expect(before.credential_ids).not.toContain(merchant.key_id)
  await auth.revoke(merchant)
  const list = async (query: string) =>
    (await readJson<Revocations>(await replicas[1].internal('GET', `/revocations${query}`))).credential_ids
  expect(await list('')).toContain(merchant.key_id)
  expect(await list(`?since=${before.as_of}`)).toContain(merchant.key_id)
  expect(await list(`?since=${new Date(Date.now() + 5000).toISOString()}`)).toContain(merchant.key_id)
  expect(await list(`?since=${new Date(Date.now() + 180_000).toISOString()}`)).not.toContain(merchant.key_id)
})

test('an invalid time is 422', async () => {
  expect((await auth.internal('GET', '/revocations?since=yesterday')).status).toBe(422)
})
