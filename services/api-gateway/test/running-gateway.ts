import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { silentLog, stopAll, type Log } from '@gateway/service-kit'
import { dropDatabase, INTERNAL_API_TOKEN, TestAuthToken, testConfig } from '../../auth-token/test/running-auth-token.ts'
import type { GatewayConfig, RateLimits } from '../src/config.ts'
import { startApiGateway } from '../src/service.ts'

/** What a service behind the gateway was asked. */
export interface Seen {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/** A real HTTP server in the place of the services behind the gateway, that remembers what it was asked. */
export class FakeService {
  readonly seen: Seen[] = []
  readonly url: string
  readonly stop: () => Promise<void>
  /** What it answers with, from the next request on. */
  answer: (request: Seen, response: ServerResponse) => void = answerOk
  /** Takes a request over before its body is read. */
  intercept: RequestListener | undefined

  static async start(): Promise<FakeService> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('a listening server has an address')
    const stop = () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    const service = new FakeService(`http://127.0.0.1:${address.port}`, stop)
    server.on('request', (request, response) => service.handle(request, response))
    return service
  }

  private constructor(url: string, stop: () => Promise<void>) {
    this.url = url
    this.stop = stop
  }

  get last(): Seen {
    const last = this.seen.at(-1)
    if (!last) throw new Error('nothing was asked')
    return last
  }

  reset(): void {
    this.seen.length = 0
    this.answer = answerOk
    this.intercept = undefined
  }

  private handle(request: IncomingMessage, response: ServerResponse): void {
    if (this.intercept && request.url !== '/healthz') {
      this.intercept(request, response)
      return
    }
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const seen = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks),
      }
      if (seen.path === '/healthz') return void response.end('{}')
      this.seen.push(seen)
      this.answer(seen, response)
    })
  }
}

function answerOk(_request: Seen, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}')
}

/** An address where nobody listens. */
export const NOBODY = 'http://127.0.0.1:9'

export interface TestGateway {
  readonly url: string
  readonly metricsUrl: string
  /** As when it is told to stop, before it does. */
  retire(): void
  stop(): Promise<unknown>
}

export interface GatewayChanges {
  readonly upstreams?: Partial<GatewayConfig['upstreams']>
  readonly limits?: Partial<RateLimits>
  readonly config?: Partial<Omit<GatewayConfig, 'upstreams' | 'limits'>>
  readonly log?: Log
  readonly monotonicMs?: () => number
}

/** The real gateway on a free port; every service is `everything` unless said otherwise. */
export async function startTestGateway(everything: string, changes: GatewayChanges = {}): Promise<TestGateway> {
  const { upstreams, limits, config, log = silentLog, ...clock } = changes
  const running = await startApiGateway(
    {
      environment: 'sandbox',
      host: '127.0.0.1',
      port: 0,
      metricsPort: 0,
      logLevel: 'error',
      shutdownDelayMs: 0,
      internalApiToken: INTERNAL_API_TOKEN,
      upstreamTimeoutMs: 5000,
      trustedProxies: [],
      ...config,
      upstreams: {
        authToken: everything,
        orderApi: everything,
        paymentStatus: everything,
        checkout: everything,
        webhookDispatcher: everything,
        networkSimulator: everything,
        ...upstreams,
      },
      limits: { createPerSecond: 0, readPerSecond: 0, anonymousPerSecond: 0, checkoutPerSecond: 0, ...limits },
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

/** Starts more gateways for single tests, and stops them after each, however it went. */
export function moreGateways(everything: () => string): (changes: GatewayChanges) => Promise<TestGateway> {
  const started: TestGateway[] = []
  afterEach(async () => {
    for (const gateway of started.splice(0)) await gateway.stop()
  })
  return async (changes) => {
    const gateway = await startTestGateway(everything(), changes)
    started.push(gateway)
    return gateway
  }
}

/** auth-token as it really is, with a database of its own. */
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

export function bearer(token: string): { authorization: string } {
  return { authorization: `Bearer ${token}` }
}

/** A POST with JSON, as merchants send it. */
export function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } })
}

/** Status and code: what distinguishes a refusal. */
export async function refusalOf(response: Response): Promise<{ status: number; code: unknown }> {
  const problem: unknown = await response.json()
  const code = typeof problem === 'object' && problem !== null && 'code' in problem ? problem.code : undefined
  return { status: response.status, code }
}
