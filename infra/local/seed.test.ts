import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startJsonServer, type JsonServer } from '@gateway/testkit'
import { seedMerchant } from './seed.ts'

const key_secret = Buffer.alloc(32, 7).toString('base64url')
let stateDir: string
let api: JsonServer
/** As the gateway keeps it. */
let registered: string | undefined
let isKnown: boolean
beforeEach(async () => {
  stateDir = mkdtempSync(join(tmpdir(), 'seed-'))
  registered = undefined
  isKnown = true
  api = await startJsonServer(({ method, path, body }) => {
    if (path.endsWith('/merchants')) {
      isKnown = true
      return { status: 201, body: { merchant_id: 'M1', key_id: 'key_sandbox_1', key_secret } }
    }
    if (!isKnown) return { status: 401, body: { code: 'token_invalid' } }
    if (method === 'GET') return registered ? { status: 200, body: { data: { url: registered } } } : { status: 404, body: {} }
    const secret = registered ? {} : { signing_secret: 'whsec_1' }
    registered = (body as { url: string }).url
    return { status: 200, body: { data: { url: registered, ...secret } } }
  })
})
afterEach(async () => {
  await api.stop()
  rmSync(stateDir, { recursive: true })
})

const start = (webhookUrl?: string) =>
  seedMerchant(stateDir, { baseUrl: api.url, operator: { url: api.url, token: 'operator' }, webhookUrl })

// Proves: operate/registered-webhook-url-survives-restart
test('a URL that the merchant has registered survives a start; one that is set by hand replaces it', async () => {
  const first = await start()
  expect(first).toMatchObject({ merchant_id: 'M1', webhook_url: 'https://localhost:9443/webhooks', webhook_secret: 'whsec_1' })

  registered = 'https://merchant.example/hooks'
  expect(await start()).toEqual({ ...first, webhook_url: 'https://merchant.example/hooks' })
  expect(registered).toBe('https://merchant.example/hooks')

  expect(await start('https://localhost:9555/webhooks')).toMatchObject({ webhook_url: 'https://localhost:9555/webhooks' })
  expect(registered).toBe('https://localhost:9555/webhooks')
})

test('a merchant of another database is replaced by a new one', async () => {
  const first = await start()
  isKnown = false
  registered = undefined
  expect(await start()).toEqual(first)
  expect(isKnown).toBe(true)
})
