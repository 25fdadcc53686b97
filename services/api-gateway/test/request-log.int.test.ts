import type { Log } from '@gateway/service-kit'
import { merchantToken, type TestCredential } from '@gateway-services/auth-token/testing'
import { FakeService } from './fake-service.ts'
import { bearer, moreGateways, post, startRealAuthToken } from './running-gateway.ts'

let real: Awaited<ReturnType<typeof startRealAuthToken>>
let service: FakeService
let merchant: TestCredential
beforeAll(async () => {
  real = await startRealAuthToken()
  merchant = await real.auth.newMerchant()
  service = await FakeService.start()
})
const startGateway = moreGateways(() => service.url)
afterAll(async () => {
  await service.stop()
  await real.stop()
})

// Proves: access/requests-name-credential-and-network
test('the log line of a request names the credential and the client’s network, with and without Express', async () => {
  const lines: Record<string, unknown>[] = []
  const write = (message: string, fields?: object): void => {
    if (message === 'request') lines.push({ ...fields })
  }
  const log: Log = { debug: write, info: write, warn: write, error: write }
  const gateway = await startGateway({
    log,
    upstreams: { authToken: real.auth.url },
    config: { trustedProxies: ['loopback'] },
  })
  const headers = { ...bearer(await merchantToken(merchant)), 'x-forwarded-for': '203.0.113.77' }
  const search = () => post(`${gateway.url}/api/v1/order/search`, { order_id: 'ORD-1' }, headers)
  // The first call exchanges the token through Express, the second one takes the hot proxy.
  for (const call of [search, search]) expect((await call()).status).toBe(200)
  await fetch(`${gateway.url}/api/v1/webhooks/deliveries`, { headers })
  const stranger = await post(`${gateway.url}/api/v1/order/search`, {}, { 'x-forwarded-for': '2001:db8:1:2::3' })
  expect(stranger.status).toBe(401)

  const known = { credential_id: merchant.key_id, address_prefix: '203.0.113.0/24' }
  expect(lines).toMatchObject([known, known, known, { address_prefix: '2001:db8:1::/48' }])
  expect(JSON.stringify(lines)).not.toMatch(/203\.0\.113\.77|ORD-1/u)
})
