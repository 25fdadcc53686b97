/** What the services get in place of their own modules, as `install` names them: by the names that those modules export. */
import { randomBytes } from 'node:crypto'
import type { Dispatcher } from 'undici'
import type { ClientRequest, Exchange, ExchangeLimits } from '@gateway/service-kit/http-client'
import type { SendWebhook } from '@gateway-services/webhook-dispatcher/sending/webhook-client'
import { NoAnswer } from '../kernel/network.ts'
import { theEngines } from './engines.ts'

/** In place of service-kit's exchanges: those of the simulated network, with the caller's deadline. */
export function exchange(
  _dispatcher: unknown,
  { origin, method, path, headers, body }: Dispatcher.DispatchOptions,
  { timeoutMs = 60_000 }: ExchangeLimits,
): Promise<Exchange> {
  const { network, process } = theEngines()
  const { hostname, port } = new URL(String(origin))
  const told = { method, path, headers: headers as Record<string, string>, body: textOf(body) }
  return network.request(process, { ...told, host: hostname, port: Number(port) }, timeoutMs).then(
    ({ status, body: text }) => ({ statusCode: status, headers: {}, body: Buffer.from(text), error: undefined }),
    (error: unknown) => ({
      statusCode: null,
      headers: {},
      body: Buffer.alloc(0),
      error: error instanceof Error ? error : new Error(String(error)),
    }),
  )
}

/** In place of the sender to the network's connector. */
export const sendWithAxios = () => (request: ClientRequest, limits: ExchangeLimits) => exchange(undefined, request, limits)

function textOf(body: unknown): string {
  return Buffer.isBuffer(body) ? body.toString('utf8') : typeof body === 'string' ? body : ''
}

const WEBHOOK_TIMEOUT_MS = 3000

/** Sends a webhook over the simulated network, in place of the HTTPS client of the dispatcher. */
export const simulatedSend: SendWebhook = async ({ url, headers, body }) => {
  const { network, process, onWebhook } = theEngines()
  if (process.isAlive) onWebhook(process, headers['webhook-id'] ?? '', Number(headers['webhook-attempt']))
  const [at, startedMs] = [new Date(), performance.now()]
  const { hostname, pathname } = new URL(url)
  const request = { method: 'POST', host: hostname, port: 443, path: pathname, headers, body }
  const outcome = await network.request(process, request, WEBHOOK_TIMEOUT_MS).catch((error: unknown) => {
    const code = error instanceof NoAnswer ? error.code : ''
    return code === 'ETIMEDOUT' ? 'timeout' : code === 'ECONNREFUSED' ? 'connection_refused' : 'connection_failed'
  })
  const isAnswer = typeof outcome === 'object'
  return {
    at,
    duration_ms: Math.round(performance.now() - startedMs),
    status_code: isAnswer ? outcome.status : null,
    error: isAnswer ? null : outcome,
    address: null,
    response_excerpt: null,
  }
}

/** In place of the pool of random bytes, which processes and seeds would share. */
export const pooledRandomBytes = (length: number): Buffer => randomBytes(length)
export const pooledRandomByte = (): number => randomBytes(1).readUInt8()

/*
 * In place of jose, whose verification runs on other threads in an order of its own. A simulated token is its claims in base64;
 * tokens are tested elsewhere.
 */
export const errors = { JOSEError: class extends Error {}, JWKSTimeout: class extends Error {} }

export function createRemoteJWKSet(): undefined {
  return undefined
}

export function jwtVerify(token: string): Promise<{ payload: unknown }> {
  return Promise.resolve({ payload: JSON.parse(Buffer.from(token, 'base64url').toString('utf8')) as unknown })
}

/** A token that `jwtVerify` accepts. */
export function tokenOf(claims: object): string {
  return Buffer.from(JSON.stringify(claims)).toString('base64url')
}
