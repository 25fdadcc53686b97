/** Rotates the master key while a dispatcher runs: webhooks stay signed, and concurrent changes by merchants are kept. */
import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import type { MasterKeys } from '@gateway/service-kit'
import { runScript, type EndedScript, type ReceivedWebhook } from '@gateway/testkit'
import { anEvent, registerEndpoint } from './builders.ts'
import { startFixture, type Fixture } from './fixture.ts'
import { listen } from './listening.ts'

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)]
const onlyOld: MasterKeys = new Map([['k1', oldKey]])
const onlyNew: MasterKeys = new Map([['k2', newKey]])
const newFirst: MasterKeys = new Map([...onlyNew, ...onlyOld])

let fixture: Fixture
beforeAll(async () => {
  fixture = await startFixture()
})
afterAll(() => fixture.remove())

/** As an operator's job runs it; it reseals under the first key, unless another is named. */
function masterKeys(action: string, keys: MasterKeys, under = [...keys.keys()][0] ?? ''): Promise<EndedScript> {
  const MASTER_KEYS = [...keys].map(([id, key]) => `${id}:${key.toString('base64')}`).join(',')
  const { ENVIRONMENT, MONGO_URL, DATABASE } = fixture.env()
  const env = { ENVIRONMENT, MONGO_URL, DATABASE, MASTER_KEYS }
  return runScript({
    script: new URL('../src/master-keys.ts', import.meta.url),
    args: action === 'reseal' ? [action, under] : [action],
    env,
  })
}

const receive = async (merchantId: string): Promise<ReceivedWebhook> => {
  const event = anEvent(merchantId)
  await fixture.publish(event)
  return fixture.receiver.waitFor(({ headers }) => headers['webhook-id'] === event.id)
}
const verify = (secret: string, { body, headers }: ReceivedWebhook): unknown =>
  new Webhook(secret).verify(body, Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])))
const stored = async (): Promise<string> => {
  const collections = await fixture.sandbox.client.db(fixture.database).collections()
  return JSON.stringify(await Promise.all(collections.map((collection) => collection.find().toArray())))
}

// Proves: operate/master-key-rotates-while-replicas-run
test('secrets, including rotated ones, still sign under the new key; secrets that merchants rotate meanwhile are kept', async () => {
  const before = await fixture.start({}, { masterKeys: onlyOld })
  const merchants = await Promise.all(
    Array.from({ length: 12 }, async (_, index) => {
      const merchantId = `mer_keys_${index}`
      const api = await fixture.as(before, merchantId)
      return { merchantId, secrets: [await registerEndpoint(api, fixture.receiver.url)] }
    }),
  )
  const listenSecret = (await listen(fixture, before, { merchantId: 'mer_keys_0' })).secret()
  await fixture.stop(before)

  const during = await fixture.start({}, { masterKeys: newFirst })
  const rotate = async ({ merchantId, secrets }: (typeof merchants)[number]): Promise<void> => {
    const api = await fixture.as(during, merchantId)
    const { status, body } = await api<{ data: { signing_secret: string } }>('POST', '/api/v1/webhooks/endpoint/rotate-secret')
    expect(status).toBe(200)
    secrets.push(body.data.signing_secret)
  }
  const [untouched, ...rotating] = merchants
  const [ended] = await Promise.all([masterKeys('reseal', newFirst), ...rotating.map(rotate)])
  expect(ended).toMatchObject({ code: 0, stderr: '' })
  const again = await masterKeys('reseal', newFirst)
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('0 sealed anew') })
  // The log names the operator's action.
  for (const outcome of ['asked', 'done'])
    expect(again.stdout).toMatch(new RegExp(`"message":"operator".*"action":"reseal_master_keys","outcome":"${outcome}"`, 'u'))
  expect(await masterKeys('status', newFirst)).toEqual({
    code: 0,
    stderr: '',
    stdout: [
      'webhook-dispatcher  webhook secrets: 24 under k2 (seals)',
      "webhook-dispatcher  k1: can be removed from this service's MASTER_KEYS, once every replica seals with the new key",
      '',
    ].join('\n'),
  })
  expect(await stored()).not.toContain('v1.k1.')
  await fixture.stop(during)

  const after = await fixture.start({}, { masterKeys: onlyNew })
  expect((await listen(fixture, after, { merchantId: 'mer_keys_0' })).secret()).toBe(listenSecret)
  for (const { merchantId, secrets } of merchants) {
    const webhook = await receive(merchantId)
    expect(String(webhook.headers['webhook-signature']).split(' ')).toHaveLength(secrets.length)
    for (const secret of secrets) expect(() => verify(secret, webhook)).not.toThrow()
  }
  expect(untouched?.secrets).toHaveLength(1)
})

test('a missing key is named, with the merchant that needs it', async () => {
  const ended = await masterKeys('status', new Map([['k3', randomBytes(32)]]))
  expect(ended.code).toBe(1)
  expect(ended.stdout).toContain('cannot be opened: webhook secrets of mer_keys_0')
  expect(ended.stdout).toContain('k2: 24 need it and it is not in MASTER_KEYS: put it back')
})
