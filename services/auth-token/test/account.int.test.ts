import type {
  AuditEntryView,
  AuditResponse,
  CredentialsResponse,
  ExchangedTokens,
  NewCredentialResponse,
  Revocations,
} from '@gateway/contracts'
import { eventually } from '@gateway/testkit'
import {
  DISPATCHER_TOKEN,
  dropDatabase,
  GATEWAY_TOKEN,
  merchantToken,
  readJson,
  send,
  TestAuthToken,
  testConfig,
  type TestCredential,
} from './running-auth-token.ts'

type Credential = Pick<TestCredential, 'key_id' | 'key_secret'>
type NewCredential = NewCredentialResponse['data']['credential']

const MINUTE_MS = 60_000
const config = testConfig()
const clock = { aheadMs: 0 }
let auth: TestAuthToken
beforeAll(async () => {
  auth = await TestAuthToken.start(config, { now: () => new Date(Date.now() + clock.aheadMs) })
})
afterEach(() => {
  clock.aheadMs = 0
})
afterAll(async () => {
  await auth.stop()
  await dropDatabase(config)
})

/** A call with the internal token that the gateway would send for this credential. */
async function call(credential: Credential, method: string, path: string, body?: unknown): Promise<Response> {
  const token = await merchantToken(credential, { nowSeconds: Math.floor((Date.now() + clock.aheadMs) / 1000) })
  const { internal_tokens: tokens } = await readJson<ExchangedTokens>(await auth.exchange(token, 'auth-token'))
  const internal = tokens['auth-token'] ?? ''
  return send(method, `${auth.url}/api/v1${path}`, body, internal)
}
async function create(credential: Credential, wishes: object): Promise<NewCredential> {
  const response = await call(credential, 'POST', '/credentials', wishes)
  expect([response.status, response.headers.get('cache-control')]).toEqual([201, 'no-store'])
  return (await readJson<NewCredentialResponse>(response)).data.credential
}
async function list(credential: Credential) {
  return (await readJson<CredentialsResponse>(await call(credential, 'GET', '/credentials'))).data.credentials
}
async function refusal(response: Response): Promise<[number, unknown]> {
  return [response.status, (await readJson<{ code: unknown }>(response)).code]
}
async function audit(credential: Credential, query = ''): Promise<readonly AuditEntryView[]> {
  return (await readJson<AuditResponse>(await call(credential, 'GET', `/audit${query}`))).data.entries
}
const exchangeStatus = async (credential: Credential) => (await auth.exchange(await merchantToken(credential))).status

// Proves: access/credentials-self-service, access/secret-shown-once-again
test('a merchant makes a credential with some scopes, sees it without its secret, and it does no more than its scopes', async () => {
  const first = await auth.newMerchant()
  const made = await create(first, { scopes: ['read', 'webhooks'], label: 'the warehouse' })
  expect(made).toMatchObject({ scopes: ['read', 'webhooks'], label: 'the warehouse', expires_at: null, revoked_at: null })
  expect(made.key_secret).toMatch(/^[A-Za-z0-9_-]{43}$/u)
  const listed = await list(first)
  expect(listed.map(({ key_id: id, scopes }) => [id, scopes])).toEqual([
    [first.key_id, ['orders', 'read', 'webhooks', 'credentials']],
    [made.key_id, ['read', 'webhooks']],
  ])
  expect(JSON.stringify(listed)).not.toContain(made.key_secret)
  expect(await refusal(await call(made, 'GET', '/credentials'))).toEqual([403, 'scope_missing'])
})

// Proves: access/nobody-grants-scope-it-lacks
test('a credential grants no scope that it lacks; operators give refunds and reports by name', async () => {
  const first = await auth.newMerchant()
  const manager = await create(first, { scopes: ['credentials', 'read'] })
  for (const scope of ['orders', 'refunds', 'reports']) {
    const refused = await call(manager, 'POST', '/credentials', { scopes: ['read', scope] })
    expect(await readJson(refused)).toMatchObject({ code: 'scope_missing', detail: expect.stringContaining(`"${scope}"`) })
  }
  const made = await auth.operator('POST', `/merchants/${first.merchant_id}/credentials`, { scopes: ['credentials', 'refunds'] })
  const refunding = await readJson<TestCredential>(made)
  expect((await create(refunding, { scopes: ['refunds'] })).scopes).toEqual(['refunds'])
})

// Proves: access/ten-live-credentials
test('at most ten are live at once, however they are asked for; revoking one or its end makes room', async () => {
  const first = await auth.newMerchant()
  const expiring = await create(first, { scopes: ['read'], expires_at: new Date(Date.now() + MINUTE_MS).toISOString() })
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => call(first, 'POST', '/credentials', { scopes: ['read'] }).then(({ status }) => status)),
  )
  expect(answers.toSorted()).toEqual([...Array.from({ length: 8 }, () => 201), ...Array.from({ length: 4 }, () => 409)])
  expect(await refusal(await call(first, 'POST', '/credentials', { scopes: ['read'] }))).toEqual([409, 'too_many_credentials'])
  const live = await list(first)
  expect((await call(first, 'DELETE', `/credentials/${live[2]?.key_id}`)).status).toBe(204)
  await create(first, { scopes: ['read'] })
  clock.aheadMs = 2 * MINUTE_MS
  expect(await exchangeStatus(expiring)).toBe(401)
  await create(first, { scopes: ['read'] })
  expect(await refusal(await call(first, 'POST', '/credentials', { scopes: ['read'] }))).toEqual([409, 'too_many_credentials'])
})

// Proves: access/revoke-own-not-calling
test('a revoked credential stops at once; the calling one and those of others cannot be revoked', async () => {
  const [mine, theirs] = [await auth.newMerchant(), await auth.newMerchant()]
  const second = await create(mine, { scopes: ['orders'] })
  expect(await exchangeStatus(second)).toBe(200)
  expect((await call(mine, 'DELETE', `/credentials/${second.key_id}`)).status).toBe(204)
  expect((await call(mine, 'DELETE', `/credentials/${second.key_id}`)).status).toBe(204)
  expect(await exchangeStatus(second)).toBe(401)
  expect(await refusal(await call(mine, 'DELETE', `/credentials/${mine.key_id}`))).toEqual([409, 'credential_in_use'])
  expect(await refusal(await call(mine, 'DELETE', `/credentials/${theirs.key_id}`))).toEqual([404, 'credential_not_found'])
  expect((await list(mine)).find(({ key_id: id }) => id === second.key_id)?.revoked_at).not.toBeNull()
})

// Proves: access/credential-expires
test('an internal token does not outlive its credential', async () => {
  const first = await auth.newMerchant()
  const endsAt = new Date(Date.now() + 20_000)
  const made = await create(first, { scopes: ['read'], expires_at: endsAt.toISOString() })
  const exchanged = await readJson<{ expires_at: string }>(await auth.exchange(await merchantToken(made)))
  expect(Date.parse(exchanged.expires_at)).toBeLessThanOrEqual(endsAt.getTime())
})

test.each([
  ['no scopes', {}, '/scopes'],
  ['an empty list of scopes', { scopes: [] }, '/scopes'],
  ['an unknown scope', { scopes: ['everything'] }, '/scopes/0'],
  ['a scope twice', { scopes: ['read', 'read'] }, '/scopes'],
  ['a label of 51 letters', { scopes: ['read'], label: 'x'.repeat(51) }, '/label'],
  ['a time without a zone', { scopes: ['read'], expires_at: '2030-01-01T00:00:00' }, '/expires_at'],
  ['an end in the past', { scopes: ['read'], expires_at: '2020-01-01T00:00:00Z' }, '/expires_at'],
])('a new credential with %s is 422', async (_name, body, field) => {
  const response = await call(await auth.newMerchant(), 'POST', '/credentials', body)
  expect([response.status, await response.json()]).toMatchObject([422, { errors: [{ field }] }])
})

// Proves: access/last-used-exact-to-a-minute
test('the last use of a credential is known to the minute, without a write for each token', async () => {
  const first = await auth.newMerchant()
  const made = await create(first, { scopes: ['read'] })
  expect((await list(first)).at(-1)?.last_used_at).toBeNull()
  for (let use = 0; use < 5; use++) await exchangeStatus(made)
  const lastUse = await eventually(async () => {
    const at = (await list(first)).at(-1)?.last_used_at
    if (!at) throw new Error('no use is written yet')
    return Date.parse(at)
  })
  expect(Math.abs(Date.now() - lastUse)).toBeLessThan(MINUTE_MS)
})

// Proves: access/audit-of-merchant
test('the audit names each change and its outcome, newest first, page by page, and only to its merchant', async () => {
  const [mine, theirs] = [await auth.newMerchant(), await auth.newMerchant()]
  const made = await create(mine, { scopes: ['read'] })
  await call(mine, 'DELETE', `/credentials/${made.key_id}`)
  await call(mine, 'DELETE', '/credentials/key_sandbox_nobody')
  const entries = await audit(mine)
  expect(entries.map(({ actor, action, target, outcome }) => `${actor} ${action} ${target} ${outcome}`)).toEqual([
    'merchant credential.revoke key_sandbox_nobody refused',
    `merchant credential.revoke ${made.key_id} done`,
    `merchant credential.revoke ${made.key_id} asked`,
    `merchant credential.create ${made.key_id} done`,
    `merchant credential.create ${made.key_id} asked`,
    `operator merchant.create ${mine.key_id} done`,
    `operator merchant.create ${mine.key_id} asked`,
  ])
  expect(entries[0]?.credential_id).toBe(mine.key_id)
  expect(JSON.stringify(entries)).not.toContain(made.key_secret)

  const paged: AuditEntryView[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page = await call(mine, 'GET', `/audit?limit=3${cursor && `&cursor=${cursor}`}`)
    const { data, next_cursor: next } = await readJson<AuditResponse>(page)
    paged.push(...data.entries)
    cursor = next
  }
  expect(paged).toEqual(entries)
  const since = encodeURIComponent(entries[2]?.at ?? '')
  expect(await audit(mine, `?from=${since}`)).toEqual(entries.slice(0, 3))
  expect(await audit(theirs)).toHaveLength(2)
  const all = await readJson<{ data: { entries: object[] } }>(
    await auth.operator('GET', `/audit?limit=3&merchant_id=${mine.merchant_id}`),
  )
  expect(all.data.entries[0]).toMatchObject({ merchant_id: mine.merchant_id, action: 'credential.revoke' })
})

test.each(['limit=0', 'limit=101', 'from=yesterday', 'cursor=nonsense', 'more=1'])('an audit with %s is 422', async (query) => {
  expect((await call(await auth.newMerchant(), 'GET', `/audit?${query}`)).status).toBe(422)
})

// Proves: access/failed-authentications-counted
test('failed authentications are one entry per credential, network and minute, with their count', async () => {
  const first = await auth.newMerchant()
  const forged = await merchantToken({ ...first, key_secret: 'A'.repeat(43) })
  const from = (network: string) =>
    fetch(`${auth.url}/internal/v1/tokens/exchange?audience=order-api`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${GATEWAY_TOKEN}`,
        'content-type': 'application/json',
        'x-address-prefix': network,
      },
      body: JSON.stringify({ token: forged }),
    })
  for (const network of ['203.0.113.0/24', '198.51.100.0/24', '203.0.113.0/24']) expect((await from(network)).status).toBe(401)
  clock.aheadMs = MINUTE_MS
  const failures = await eventually(async () => {
    const found = (await audit(first)).filter(({ action }) => action === 'authentication.failed')
    expect(found).toHaveLength(2)
    return found
  })
  expect(failures.map(({ address_prefix: network, count }) => [network, count]).toSorted()).toEqual([
    ['198.51.100.0/24', 1],
    ['203.0.113.0/24', 2],
  ])
  expect(failures[0]).toMatchObject({ actor: 'merchant', credential_id: first.key_id, outcome: 'refused' })
})

// Proves: access/operators-have-names
test('other services append to the audit, with the name of the operator', async () => {
  const first = await auth.newMerchant()
  const entry = { who: 'asha', action: 'delivery.resend', outcome: 'done', target: 'd1', request_id: null }
  const of = { merchant_id: first.merchant_id, credential_id: null, address_prefix: null }
  expect((await auth.internal('POST', '/audit', { ...entry, ...of }, DISPATCHER_TOKEN)).status).toBe(204)
  expect((await auth.internal('POST', '/audit', { ...entry, ...of, who: '' }, DISPATCHER_TOKEN)).status).toBe(422)
  expect((await auth.internal('POST', '/audit', { ...entry, ...of }, 'another token of at least 32 letters')).status).toBe(401)
  expect((await audit(first))[0]).toMatchObject({ actor: 'asha', action: 'delivery.resend', target: 'd1', outcome: 'done' })
})

// Proves: access/child-ends-with-its-maker
test('a credential ends no later than the one that made it, which its line names', async () => {
  const first = await auth.newMerchant()
  const expires_at = new Date(Date.now() + MINUTE_MS).toISOString()
  const maker = await create(first, { scopes: ['credentials'], expires_at })
  const child = await create(maker, { scopes: ['credentials'] })
  expect(child).toMatchObject({ expires_at, made_by: maker.key_id })
  const late = await call(maker, 'POST', '/credentials', { scopes: ['credentials'], expires_at: '2999-01-01T00:00:00Z' })
  expect([late.status, await readJson(late)]).toMatchObject([422, { errors: [{ field: '/expires_at' }] }])
  const makers = [first, maker, child].map(({ key_id: id }) => id)
  expect((await list(first)).map(({ made_by: by }) => by)).toEqual(['operator', ...makers.slice(0, 2)])
  clock.aheadMs = MINUTE_MS + 1000
  for (const ended of [maker, child]) expect(await exchangeStatus(ended)).toBe(401)
})

// Proves: access/revoking-ends-descendants
test('revoking a credential ends all that it made, at once and in the list that the gateway reads', async () => {
  const first = await auth.newMerchant()
  const stolen = await create(first, { scopes: ['credentials', 'read'] })
  const child = await create(stolen, { scopes: ['credentials'] })
  const grandchild = await create(child, { scopes: ['credentials'] })
  expect(await refusal(await call(child, 'DELETE', `/credentials/${stolen.key_id}`))).toEqual([409, 'credential_in_use'])
  expect((await call(first, 'DELETE', `/credentials/${stolen.key_id}`)).status).toBe(204)
  const ended = [stolen, child, grandchild]
  for (const one of ended) expect(await exchangeStatus(one)).toBe(401)
  const { credential_ids: ids } = await readJson<Revocations>(await auth.internal('GET', '/revocations'))
  expect(ids).toEqual(expect.arrayContaining(ended.map(({ key_id: id }) => id)))
})

// Proves: access/thief-locks-nobody-out, access/nobody-revokes-above-itself
test('a thief of a credential locks out neither its owner nor the operators', async () => {
  const first = await auth.newMerchant()
  const stolen = await create(first, { scopes: ['credentials'] })
  const shop = await create(first, { scopes: ['orders'] })
  const statuses: number[] = []
  for (let round = 0; round < 48; round++) {
    const response = await call(stolen, 'POST', '/credentials', { scopes: ['credentials'] })
    statuses.push(response.status)
    if (response.status !== 201) continue
    const { data } = await readJson<NewCredentialResponse>(response)
    await call(stolen, 'DELETE', `/credentials/${data.credential.key_id}`)
  }
  expect(statuses.filter((status) => status === 201)).toHaveLength(25)
  expect(await refusal(await call(stolen, 'DELETE', `/credentials/${first.key_id}`))).toEqual([409, 'credential_in_use'])
  expect(await refusal(await call(stolen, 'DELETE', `/credentials/${shop.key_id}`))).toEqual([403, 'scope_missing'])
  const second = await readJson<TestCredential>(
    await auth.operator('POST', `/merchants/${first.merchant_id}/credentials`, { scopes: ['credentials'] }),
  )
  expect(await refusal(await call(stolen, 'DELETE', `/credentials/${second.key_id}`))).toEqual([403, 'credential_protected'])
  await create(first, { scopes: ['read'] })
  expect((await auth.revoke({ ...stolen, merchant_id: first.merchant_id })).status).toBe(204)
  expect((await auth.revoke(first)).status).toBe(204)
  expect((await auth.operator('POST', `/merchants/${first.merchant_id}/credentials`)).status).toBe(201)
})

// Proves: access/refusals-are-one-entry
test('repeated refusals of a minute are two entries: the first as it is, and the count of the others', async () => {
  const first = await auth.newMerchant()
  for (let round = 0; round < 20; round++) {
    expect((await call(first, 'DELETE', `/credentials/key_sandbox_${round}`)).status).toBe(404)
  }
  const refusals = async () => (await audit(first)).filter(({ action }) => action === 'credential.revoke')
  expect((await refusals()).length).toBeLessThanOrEqual(3)
  clock.aheadMs = MINUTE_MS
  await eventually(async () => {
    const entries = await refusals()
    expect(entries.map(({ outcome }) => outcome)).not.toContain('asked')
    expect(entries.reduce((sum, { count }) => sum + count, 0)).toBe(20)
  })
})

// Proves: access/ended-credentials-are-bounded
test('a merchant that makes and ends many credentials does not grow, and an exchange reads only its own', async () => {
  const first = await auth.newMerchant()
  for (let day = 0; day < 3; day++) {
    clock.aheadMs = day * 25 * 60 * MINUTE_MS
    for (let round = 0; round < 45; round++) {
      const { key_id: id } = await create(first, { scopes: ['read'] })
      await call(first, 'DELETE', `/credentials/${id}`)
    }
  }
  await create(first, { scopes: ['read'] })
  // At most fifty that ended before the last day, those of the last day, and two live ones.
  expect((await list(first)).length).toBeLessThanOrEqual(50 + 45 + 2)
})
