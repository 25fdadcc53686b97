/** Verifies received webhooks with the published Standard Webhooks libraries, as merchants do. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Webhook } from 'standardwebhooks'
import { formatSigningSecret } from '@gateway/contracts'
import type { ReceivedWebhook } from '@gateway/testkit'
import type { RunningDispatcher } from '../src/service.ts'
import { anEvent, registerEndpoint } from './builders.ts'
import { startFixture, type Fixture } from './fixture.ts'
import { ensureWebhooksPython } from './webhooks-python.ts'

/** Resolves to the payload; rejects when the library does not accept the signature. */
type Verify = (secret: string, webhook: ReceivedWebhook) => Promise<unknown>

const headersOf = ({ headers }: ReceivedWebhook): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))

const verifyWithJavaScript: Verify = async (secret, webhook) => new Webhook(secret).verify(webhook.body, headersOf(webhook))

const found = await ensureWebhooksPython()
const verifyWithPython: Verify = async (secret, webhook) => {
  if ('missing' in found) throw new Error(found.missing)
  const given = JSON.stringify({ secret, headers: headersOf(webhook), body: webhook.body.toString('base64') })
  const script = join(import.meta.dirname, 'verify_webhook.py')
  const { stdout } = await promisify(execFile)(found.python, [script, given], { timeout: 60_000 })
  return JSON.parse(stdout) as unknown
}

let fixture: Fixture
let dispatcher: RunningDispatcher
/** Under the old secret alone, and under both of a rotation. */
let before: ReceivedWebhook
let rotating: ReceivedWebhook
let oldSecret: string
let newSecret: string
beforeAll(async () => {
  fixture = await startFixture()
  dispatcher = await fixture.start()
  const merchantId = 'mer_signatures'
  const api = await fixture.as(dispatcher, merchantId)
  const receive = async (): Promise<ReceivedWebhook> => {
    const event = anEvent(merchantId, { udf1: 'नमस्ते, 3 €', udf2: '😀\u2028"\\', payer: { name: 'आशा Müller', vpa: 'asha@bank' } })
    await fixture.publish(event)
    return fixture.receiver.waitFor(({ headers }) => headers['webhook-id'] === event.id)
  }
  oldSecret = await registerEndpoint(api, fixture.receiver.url)
  before = await receive()
  const rotated = await api<{ data: { signing_secret: string } }>('POST', '/api/v1/webhooks/endpoint/rotate-secret')
  newSecret = rotated.body.data.signing_secret
  rotating = await receive()
})
afterAll(() => fixture.remove())

interface Library {
  readonly language: string
  readonly verify: Verify
  /** Why this machine cannot run the library; shown in the title of the skipped test. */
  readonly missing?: string
}
const LIBRARIES: readonly Library[] = [
  { language: 'JavaScript', verify: verifyWithJavaScript },
  { language: 'Python', verify: verifyWithPython, ...found },
]

describe.each(LIBRARIES)('the published library for $language', ({ verify, missing }) => {
  const it = (title: string, work: () => Promise<void>): void =>
    missing === undefined ? test(title, work) : test.skip(`${title} (skipped: ${missing})`, work)

  // Proves: webhooks/published-libraries-verify
  it('verifies a webhook as it was received, text beyond ASCII included', async () => {
    expect(await verify(oldSecret, before)).toMatchObject({
      payee: { name: 'आशा Müller', vpa: 'asha@bank' },
      metadata: { udf1: 'नमस्ते, 3 €', udf2: '😀\u2028"\\', udf3: '' },
    })
  })

  // Proves: webhooks/published-libraries-verify
  it('verifies with the old secret and with the new one while they rotate', async () => {
    expect(String(rotating.headers['webhook-signature']).split(' ')).toHaveLength(2)
    const payloads = [await verify(oldSecret, rotating), await verify(newSecret, rotating)]
    expect(payloads).toEqual([JSON.parse(rotating.body.toString()), JSON.parse(rotating.body.toString())])
  })

  // Proves: webhooks/published-libraries-verify
  it('refuses another secret, one that came later, another body, id and time', async () => {
    const { headers } = rotating
    const timestamp = String(Number(headers['webhook-timestamp']) + 1)
    const tampered: [string, ReceivedWebhook][] = [
      [formatSigningSecret(Buffer.alloc(32, 1)), rotating],
      [newSecret, before],
      [newSecret, { ...rotating, body: Buffer.from(rotating.body.toString().replace('499.00', '499.01')) }],
      [newSecret, { ...rotating, headers: { ...headers, 'webhook-id': before.headers['webhook-id'] } }],
      [newSecret, { ...rotating, headers: { ...headers, 'webhook-timestamp': timestamp } }],
    ]
    for (const [secret, webhook] of tampered)
      await expect(verify(secret, webhook)).rejects.toThrow(/No matching signature found/u)
  })
})
