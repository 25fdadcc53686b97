/** Rotates the master key while replicas run: nothing sealed is lost, and nothing needs the old key afterwards. */
import { randomBytes } from 'node:crypto'
import type { ExchangedTokens } from '@gateway/contracts'
import type { MasterKeys } from '@gateway/service-kit'
import { runScript, type EndedScript } from '@gateway/testkit'
import {
  dropDatabase,
  merchantToken,
  readJson,
  TestAuthToken,
  testConfig,
  withDatabase,
  type TestCredential,
} from './running-auth-token.ts'

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)]
const onlyOld: MasterKeys = new Map([['k1', oldKey]])
const onlyNew: MasterKeys = new Map([['k2', newKey]])
const newFirst: MasterKeys = new Map([...onlyNew, ...onlyOld])
const oldFirst: MasterKeys = new Map([...onlyOld, ...onlyNew])

const config = { ...testConfig(), masterKeys: onlyOld }
const running: TestAuthToken[] = []
const start = async (masterKeys: MasterKeys): Promise<TestAuthToken> => {
  const replica = await TestAuthToken.start({ ...config, masterKeys })
  running.push(replica)
  return replica
}
afterAll(async () => {
  for (const replica of running) await replica.stop()
  await dropDatabase(config)
})

/** Runs the operator's command. It reseals under the first key unless `under` names another. */
function masterKeys(action: string, keys: MasterKeys, under = [...keys.keys()][0] ?? ''): Promise<EndedScript> {
  const text = [...keys].map(([id, key]) => `${id}:${key.toString('base64')}`).join(',')
  const env = { ENVIRONMENT: 'sandbox', MONGO_URL: config.mongoUrl, DATABASE: config.database, MASTER_KEYS: text }
  return runScript({
    script: new URL('../src/master-keys.ts', import.meta.url),
    args: action === 'reseal' ? [action, under] : [action],
    env,
  })
}

const exchanges = async (auth: TestAuthToken, merchant: TestCredential) =>
  (await auth.exchange(await merchantToken(merchant))).status

/** All documents of all collections as one text. */
const everything = () =>
  withDatabase(config, async (db) => {
    const collections = await db.collections()
    return JSON.stringify(await Promise.all(collections.map(async (collection): Promise<unknown> => collection.find().toArray())))
  })

/** Every sealed text in the database. */
const sealedNow = async () => [...(await everything()).matchAll(/"(v1\.[^"]+)"/gu)].map(([, sealed]) => sealed).toSorted()

// Proves: operate/master-key-rotates-while-replicas-run
test('add a key, put it first, reseal while replicas write, remove the old key: every credential works all the time', async () => {
  const first = await start(onlyOld)
  const merchants = [await first.newMerchant('One'), await first.newMerchant('Two'), await first.newMerchant('Three')]
  for (const merchant of merchants) expect(await exchanges(first, merchant)).toBe(200)

  // While old replicas run, the new key only opens: no replica meets a text that it cannot open.
  const second = await start(oldFirst)
  merchants.push(await second.newMerchant('Four'))
  for (const merchant of merchants) for (const replica of [first, second]) expect(await exchanges(replica, merchant)).toBe(200)

  const third = await start(newFirst)
  merchants.push(await third.newMerchant('Five'))
  for (const merchant of merchants) for (const replica of [second, third]) expect(await exchanges(replica, merchant)).toBe(200)

  expect(await masterKeys('status', newFirst)).toEqual({
    code: 1,
    stderr: '',
    stdout: [
      'auth-token  credentials: 1 under k2 (seals), 4 under k1',
      'auth-token  signing keys: 1 under k1',
      'auth-token  k1: must stay, 5 need it: reseal',
      '',
    ].join('\n'),
  })

  const [revoked] = merchants
  if (!revoked) throw new Error('there are merchants')
  const [ended] = await Promise.all([masterKeys('reseal', newFirst), third.revoke(revoked)])
  const again = await masterKeys('reseal', newFirst)
  for (const one of [ended, again]) expect(one).toMatchObject({ code: 0, stderr: '' })
  expect(again.stdout).toContain('0 sealed anew')
  expect(again.stdout).toContain('credentials: 4 under k2 (seals)\n')
  expect(again.stdout).toContain("k1: can be removed from this service's MASTER_KEYS")
  expect(await everything()).not.toContain('v1.k1.')

  const last = await start(onlyNew)
  expect(await exchanges(last, revoked)).toBe(401)
  const answers = await Promise.all(merchants.slice(1).map(async (merchant) => last.exchange(await merchantToken(merchant))))
  for (const answer of answers) expect((await readJson<ExchangedTokens>(answer)).internal_tokens['order-api']).toMatch(/^ey/u)
  expect(await masterKeys('status', onlyNew)).toMatchObject({ code: 0 })
}, 180_000)

test('resealing is recorded in the audit log, and its output contains no key', async () => {
  const { stdout, stderr } = await masterKeys('reseal', newFirst)
  for (const key of newFirst.values()) expect(stdout + stderr).not.toContain(key.toString('base64').slice(0, 20))
  const entries = await withDatabase(config, async (db) => {
    const found = db.collection('audit_log').find({ action: 'master-keys.reseal' })
    return (await found.sort({ at: -1, _id: -1 }).limit(2).toArray()).map(({ who, outcome }) => [String(who), String(outcome)])
  })
  expect(entries).toEqual([
    ['operator', 'done'],
    ['operator', 'asked'],
  ])
})

// Proves: operate/removable-key-is-unused
test('with the old key removed too early the command names what needs it, and changes nothing', async () => {
  const auth = await start(oldFirst)
  const early = await auth.newMerchant('Early')
  const before = await sealedNow()
  expect(before.join()).toContain('v1.k1.')
  const ended = await masterKeys('status', onlyNew)
  expect(ended.code).toBe(1)
  expect(ended.stdout).toContain(`cannot be opened: credentials of ${early.merchant_id} ${early.key_id}`)
  expect(ended.stdout).toContain('k1: 1 need it and it is not in MASTER_KEYS: put it back')
  expect((await masterKeys('reseal', onlyNew)).stdout).toContain('0 sealed anew')
  expect(await sealedNow()).toEqual(before)
  expect((await masterKeys('reseal', newFirst)).code).toBe(0)
})

// Proves: operate/master-key-rotates-while-replicas-run
test('resealing is refused when the first key is not the named one: replicas may not have it', async () => {
  const before = await sealedNow()
  for (const keys of [onlyOld, oldFirst])
    expect(await masterKeys('reseal', keys, 'k2')).toMatchObject({
      code: 78,
      stdout: '',
      stderr: expect.stringContaining('MASTER_KEYS seals under k1 here, not under k2'),
    })
  expect(await sealedNow()).toEqual(before)
})

test.each([[[]], [['remove']], [['status', 'reseal']], [['reseal']], [['reseal', 'k1', 'k2']]])(
  '%j is answered with the usage',
  async (args) => {
    const ended = await runScript({ script: new URL('../src/master-keys.ts', import.meta.url), args, env: {} })
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('reseal <id of the key that seals>') })
  },
)

test('every replica reports the key that it seals with', async () => {
  const auth = await start(newFirst)
  const text = await (await fetch(`${auth.url}/metrics`)).text()
  expect(text).toContain('master_keys{key_id="k2",seals="yes",service="auth-token"} 1')
  expect(text).toContain('master_keys{key_id="k1",seals="no",service="auth-token"} 1')
})
