/** Merchants for tests and load: creating one, its tokens, and connections on which its calls need little CPU time. */
import { randomBytes, randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { EncryptJWT } from 'jose'
import { Pool } from 'undici'
import { MERCHANT_TOKEN_MAX_SECONDS, type Scope } from '@gateway/contracts'
import { operatorClient, parseJson } from './json-client.ts'

/** What a merchant makes its tokens with. */
export interface ApiKey {
  readonly key_id: string
  readonly key_secret: string
}

export interface TokenClaims {
  readonly audience?: string
  /** Seconds since 1970. */
  readonly issuedAt?: number
  readonly lifetimeSeconds?: number
}

/** The Bearer token as any JOSE library makes it: an encrypted JWT, `dir` with A256GCM (design, section 5; examples/token.mjs). */
export async function makeToken({ key_id, key_secret }: ApiKey, claims: TokenClaims = {}): Promise<string> {
  const { audience = 'sandbox', issuedAt = Math.floor(Date.now() / 1000), lifetimeSeconds = MERCHANT_TOKEN_MAX_SECONDS } = claims
  return new EncryptJWT()
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: key_id })
    .setIssuer(key_id)
    .setAudience(audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifetimeSeconds)
    .setJti(randomUUID())
    .encrypt(Buffer.from(key_secret, 'base64url'))
}

export interface MerchantCredentials extends ApiKey {
  readonly merchant_id: string
}

export interface MerchantDetails {
  readonly name: string
  /** A made-up one by default. */
  readonly vpa?: string
  readonly mcc?: string
  /** The scopes of the merchant's first credential; `undefined`: the default scopes. */
  readonly scopes?: readonly Scope[]
}

/** Creates a merchant at the operator API of `auth-token`. Throws when that is refused. */
export async function createMerchant(
  operator: { readonly url: string; readonly token: string },
  { name, vpa = `merchant.${randomBytes(4).toString('hex')}@sandbox`, mcc = '5311', ...scopes }: MerchantDetails,
): Promise<MerchantCredentials> {
  const api = operatorClient(operator)
  const { status, body } = await api<MerchantCredentials>('POST', '/operator/v1/merchants', { name, vpa, mcc, ...scopes })
  if (status !== 201) throw new Error(`the merchant was not created: ${status} ${JSON.stringify(body)}`)
  return body
}

/** An answer with any status. */
export interface ApiAnswer<T> {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The parsed JSON, or the text itself when it is not JSON. The caller must check its shape. */
  readonly body: T
}

/** Kept-alive connections to one origin, which the clients of many merchants may share. */
export interface ApiConnection {
  /** Sends `body` as JSON. Without an answer in time, rejects with an undici error, which has a `code`. */
  call<T = unknown>(
    method: string,
    path: string,
    body?: object,
    headers?: Readonly<Record<string, string>>,
  ): Promise<ApiAnswer<T>>
  /** For the SDK's option `fetch`. A call needs about half the CPU time of the global `fetch`, which matters in a load generator. */
  readonly fetch: typeof fetch
  /** Ends calls that are under way, too. Optional: idle connections do not keep a process alive. */
  close(): Promise<void>
}

export interface ApiConnectionOptions {
  /** Calls at the same time; more of them queue. Default 64. */
  readonly connections?: number
  /** How long an answer may take to begin, and the longest pause within it, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number
  /** The local address that calls are sent from. The gateway counts each address as one client. */
  readonly localAddress?: string
}

/** Never sends a request twice. */
export function connectApi(
  origin: string,
  { connections = 64, timeoutMs = 30_000, ...address }: ApiConnectionOptions = {},
): ApiConnection {
  const pool = new Pool(origin, { connections, pipelining: 1, headersTimeout: timeoutMs, bodyTimeout: timeoutMs, ...address })
  return {
    async call<T>(method: string, path: string, body?: object, headers: Readonly<Record<string, string>> = {}) {
      const sent = body === undefined ? { headers } : { headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) }
      const { statusCode, headers: received, body: stream } = await pool.request({ method, path, ...sent })
      const text = await stream.text()
      const answer: ApiAnswer<T> = { status: statusCode, headers: received, text, body: parseJson(text) as T }
      return answer
    },
    async fetch(input, { method = 'GET', headers, body = null, signal = null } = {}) {
      const { pathname, search } = new URL(input instanceof Request ? input.url : input)
      if (body !== null && typeof body !== 'string') throw new TypeError('this fetch sends text')
      const sent = { path: pathname + search, method, headers: Object.fromEntries(new Headers(headers)), body, signal }
      const { statusCode, headers: received, body: stream } = await pool.request(sent)
      return new Response(await stream.text(), { status: statusCode, headers: plain(received) })
    },
    close: () => pool.destroy(),
  }
}

const JSON_TYPE = { 'content-type': 'application/json' }

function plain(headers: IncomingHttpHeaders): [string, string][] {
  return Object.entries(headers).map(([name, value]) => [name, String(value)])
}
