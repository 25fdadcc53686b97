import { eventually, startProxied, type TcpProxy } from '@gateway/testkit'
import {
  dropDatabase,
  merchantToken,
  send,
  TestAuthToken,
  testConfig,
  withDatabase,
  type TestCredential,
} from './running-auth-token.ts'

const config = testConfig()
let proxy: TcpProxy
let auth: TestAuthToken
let merchant: TestCredential
beforeAll(async () => {
  const proxied = await startProxied(config.mongoUrl)
  proxy = proxied.proxy
  auth = await TestAuthToken.start({ ...config, mongoUrl: proxied.url })
  merchant = await auth.newMerchant()
})
afterAll(async () => {
  proxy.restore()
  await auth.stop()
  await proxy.stop()
  await dropDatabase(config)
})

const merchants = () => withDatabase(config, (db) => db.collection('merchants').countDocuments())
const readiness = () => fetch(`${auth.url}/readyz`)

// Proves: faults/database-away-at-auth-token
test('database down: 503 for tokens and operators, never a 401; nothing half-written, and the service recovers by itself', async () => {
  const token = await merchantToken(merchant)
  const before = await merchants()
  proxy.cut()
  const refused = [
    await auth.exchange(token),
    await send('POST', `${auth.url}/api/v1/auth/token`, { key_id: merchant.key_id, key_secret: merchant.key_secret }),
    await auth.internal('GET', '/revocations'),
    await auth.operator('POST', '/merchants', { name: 'Nobody', vpa: 'nobody@sandbox', mcc: '5411' }),
    await auth.revoke(merchant),
  ]
  for (const response of refused) {
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).not.toBeNull()
    expect(await response.json()).toMatchObject({ code: 'database_unavailable' })
  }
  expect((await readiness()).status).toBe(503)
  expect((await fetch(`${auth.url}/healthz`)).status).toBe(200)

  proxy.restore()
  await eventually(async () => expect((await auth.exchange(token)).status).toBe(200), { deadlineMs: 30_000 })
  expect(await merchants()).toBe(before)
  await eventually(async () => expect((await readiness()).status).toBe(200))
})
