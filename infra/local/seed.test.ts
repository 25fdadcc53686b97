import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startJsonServer, type JsonServer } from '@gateway/testkit'
import { seedMerchant } from './seed.ts'

let stateDir: string
let api: JsonServer
/** As the gateway keeps it. */
let registered: string | undefined
beforeEach(async () => {
  stateDir = mkdtempSync(join(tmpdir(), 'seed-'))
  registered = undefined
  api = await startJsonServer(({ method, path, body }) => {
    if (path.endsWith('/merchants')) return { status: 201, body: { merchant_id: 'M1', key_id: 'K1', key_secret: 'S1' } }
    if (path.endsWith('/token')) return { status: 200, body: { token: 'T' } }
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
