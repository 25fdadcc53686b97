import { silentLog, stopAll, type Log } from '@gateway/service-kit'
import { dropDatabase, GATEWAY_TOKEN, merchantToken, TestAuthToken, testConfig } from '@gateway-services/auth-token/testing'
import type { GatewayConfig } from '../src/config.ts'
import { startApiGateway } from '../src/service.ts'
import { FakeService } from './fake-service.ts'

/** An address on which no server listens. */
export const UNREACHABLE = 'http://127.0.0.1:9'

/** The secret part of a checkout link, in the form that the gateway recognizes; its transaction id begins with this text. */
export const checkoutLink = (beginning: string): string => `${beginning.padEnd(28, '0')}-${'m'.repeat(24)}`

export const CHECKOUT_LINK = checkoutLink('01J0TEST')

export interface TestGateway {
  readonly url: string
  readonly metricsUrl: string
  /** Begins a graceful stop: the gateway reports that it is not ready, and still answers. */
  retire(): void
  stop(): Promise<unknown>
}

export interface GatewayChanges {
  readonly upstreams?: Partial<GatewayConfig['upstreams']>
  readonly limits?: Partial<GatewayConfig['limits']>
  readonly config?: Partial<Omit<GatewayConfig, 'upstreams' | 'limits'>>
  readonly log?: Log
  readonly monotonicMs?: () => number
}

/** The real gateway on a free port. Every upstream is `upstreamUrl` unless `changes` names another. */
export async function startTestGateway(upstreamUrl: string, changes: GatewayChanges = {}): Promise<TestGateway> {
  const { upstreams, limits, config, log = silentLog, ...clock } = changes
  const running = await startApiGateway(
    {
      environment: 'sandbox',
      host: '127.0.0.1',
      port: 0,
      metricsPort: 0,
      logLevel: 'error',
      shutdownDelayMs: 0,
      serviceToken: GATEWAY_TOKEN,
      upstreamTimeoutMs: 5000,
      trustedProxies: [],
      callbackNetworks: [],
      maxConnectionsPerAddress: 0,
      ...config,
      upstreams: {
        authToken: upstreamUrl,
        orderApi: upstreamUrl,
        paymentStatus: upstreamUrl,
        checkout: upstreamUrl,
        webhookDispatcher: upstreamUrl,
        ledger: upstreamUrl,
        networkSimulator: upstreamUrl,
        ...upstreams,
      },
      limits: { createPerSecond: 0, readPerSecond: 0, writePerSecond: 0, anonymousPerSecond: 0, checkoutPerSecond: 0, ...limits },
    },
    { log, ...clock },
  )
  return {
    url: `http://127.0.0.1:${running.port}`,
    metricsUrl: `http://127.0.0.1:${String(running.metricsPort)}`,
    retire: () => running.parts.forEach((part) => part.retire?.()),
    stop: () => stopAll(silentLog, running.parts, 3000),
  }
}

/** Starts gateways for single tests, and stops them after each test, whether it passed or failed. */
export function moreGateways(upstreamUrl: () => string): (changes: GatewayChanges) => Promise<TestGateway> {
  const started: TestGateway[] = []
  afterEach(async () => {
    for (const gateway of started.splice(0)) await gateway.stop()
  })
  return async (changes) => {
    const gateway = await startTestGateway(upstreamUrl(), changes)
    started.push(gateway)
    return gateway
  }
}

/** The real auth-token with a database of its own. */
export async function startRealAuthToken(): Promise<{ auth: TestAuthToken; stop: () => Promise<void> }> {
  const config = testConfig()
  const auth = await TestAuthToken.start(config)
  return {
    auth,
    stop: async () => {
      await auth.stop()
      await dropDatabase(config)
    },
  }
}

export interface GatewayWithToken {
  readonly gateway: TestGateway
  /** Every upstream but auth-token. */
  readonly service: FakeService
  readonly auth: TestAuthToken
  /** The headers of a JSON request by a merchant with a valid token. */
  readonly authorized: Record<string, string>
  stop(): Promise<void>
}

/** A gateway with a real auth-token and a merchant; one fake service stands in for all other upstreams. */
export async function startGatewayWithToken(changes: Pick<GatewayChanges, 'log' | 'config'> = {}): Promise<GatewayWithToken> {
  const { auth, stop: stopAuthToken } = await startRealAuthToken()
  const merchant = await auth.newMerchant()
  const service = await FakeService.start()
  const gateway = await startTestGateway(service.url, { upstreams: { authToken: auth.url }, ...changes })
  return {
    gateway,
    service,
    auth,
    authorized: { ...bearer(await merchantToken(merchant)), 'content-type': 'application/json' },
    async stop() {
      await gateway.stop()
      await service.stop()
      await stopAuthToken()
    },
  }
}

export function bearer(token: string): { authorization: string } {
  return { authorization: `Bearer ${token}` }
}

/** A `POST` with a JSON body. */
export function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } })
}

/** Status and code of a problem document. */
export async function refusalOf(response: Response): Promise<{ status: number; code: unknown }> {
  const problem: unknown = await response.json()
  const code = typeof problem === 'object' && problem !== null && 'code' in problem ? problem.code : undefined
  return { status: response.status, code }
}
