import { randomBytes, randomUUID } from 'node:crypto'
import { CompactEncrypt } from 'jose'
import mongoose from 'mongoose'
import { silentLog, stopAll, type Environment, type Log } from '@gateway/service-kit'
import { buildIndexes } from '@gateway/service-kit/mongo'
import '@gateway/testkit/queries/start'
import type { AuthTokenConfig } from '../src/config.ts'
import { indexesOf } from '../src/persistence/indexes.ts'
import { startAuthToken, type RunningAuthToken } from '../src/service.ts'

export const GATEWAY_TOKEN = 'token-of-the-gateway-in-the-tests-01'
export const DISPATCHER_TOKEN = 'token-of-the-dispatcher-in-tests-001'
export const OPERATOR_TOKEN = 'operator-token-of-the-tests-00000001'

export interface TestCredential {
  readonly merchant_id: string
  readonly key_id: string
  readonly key_secret: string
}

/** A configuration with a database of its own. */
export function testConfig(
  environment: Environment = 'sandbox',
  database = `test_auth_${randomUUID().slice(0, 8)}`,
): AuthTokenConfig {
  const mongoUrl = process.env['MONGO_URL']
  if (mongoUrl === undefined) throw new Error('MONGO_URL must name a running database')
  return {
    environment,
    host: '127.0.0.1',
    port: 0,
    operatorPort: 0,
    operators: new Map([['operator', [OPERATOR_TOKEN]]]),
    callers: new Map([
      ['api-gateway', [GATEWAY_TOKEN]],
      ['webhook-dispatcher', [DISPATCHER_TOKEN]],
    ]),
    mongoUrl,
    database,
    masterKeys: new Map([['test', randomBytes(32)]]),
    signingKeyRotateAfterMs: 30 * 86_400_000,
    logLevel: 'error',
    shutdownDelayMs: 0,
  }
}

/** The real service on free ports, with helpers for the calls that tests make. */
export class TestAuthToken {
  readonly config: AuthTokenConfig
  readonly url: string
  readonly operatorUrl: string
  readonly #running: RunningAuthToken

  static async start(config: AuthTokenConfig, options: { now?: () => Date; log?: Log } = {}): Promise<TestAuthToken> {
    await buildIndexes(config, indexesOf, silentLog)
    return new TestAuthToken(config, await startAuthToken(config, { log: silentLog, ...options }))
  }

  private constructor(config: AuthTokenConfig, running: RunningAuthToken) {
    this.config = config
    this.#running = running
    this.url = `http://127.0.0.1:${running.port}`
    this.operatorUrl = `http://127.0.0.1:${running.operatorPort}`
  }

  operator(method: string, path: string, body?: unknown, token = OPERATOR_TOKEN): Promise<Response> {
    return send(method, `${this.operatorUrl}/operator/v1${path}`, body, token)
  }

  internal(method: string, path: string, body?: unknown, token = GATEWAY_TOKEN): Promise<Response> {
    return send(method, `${this.url}/internal/v1${path}`, body, token)
  }

  exchange(token: string, audience = 'order-api'): Promise<Response> {
    return this.internal('POST', `/tokens/exchange?audience=${audience}`, { token })
  }

  async newMerchant(name = 'Asha Stores'): Promise<TestCredential> {
    const response = await this.operator('POST', '/merchants', { name, vpa: 'asha@sandbox', mcc: '5411' })
    if (response.status !== 201) throw new Error(`no merchant was created: ${await response.text()}`)
    return readJson<TestCredential>(response)
  }

  revoke({ merchant_id: merchantId, key_id: keyId }: TestCredential): Promise<Response> {
    return this.operator('DELETE', `/merchants/${merchantId}/credentials/${keyId}`)
  }

  stop(): Promise<boolean> {
    return stopAll(silentLog, this.#running.parts, 5000)
  }
}

export function send(method: string, url: string, body: unknown, bearer?: string): Promise<Response> {
  const headers = new Headers(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` })
  if (body === undefined) return fetch(url, { method, headers })
  headers.set('content-type', 'application/json')
  return fetch(url, { method, headers, body: JSON.stringify(body) })
}

/** The body as the type that the test expects; the test's assertions check it. */
export async function readJson<T>(response: Response): Promise<T> {
  return (await response.json()) as T
}

/** A token as a merchant's program makes it; `changes` make it invalid. */
export function merchantToken(
  { key_id: keyId, key_secret: secret }: Pick<TestCredential, 'key_id' | 'key_secret'>,
  { header = {}, claims = {}, nowSeconds = Math.floor(Date.now() / 1000) }: TokenChanges = {},
): Promise<string> {
  const text = { iss: keyId, aud: 'sandbox', iat: nowSeconds, exp: nowSeconds + 300, jti: randomUUID(), ...claims }
  return new CompactEncrypt(Buffer.from(JSON.stringify(text)))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: keyId, ...header })
    .encrypt(Buffer.from(secret, 'base64url'))
}

export interface TokenChanges {
  readonly header?: object
  readonly claims?: object
  readonly nowSeconds?: number
}

export async function dropDatabase({ mongoUrl, database }: AuthTokenConfig): Promise<void> {
  await withDatabase({ mongoUrl, database }, (db) => db.dropDatabase())
}

/** Gives a test access to the service's database. */
export async function withDatabase<T>(
  { mongoUrl, database }: Pick<AuthTokenConfig, 'mongoUrl' | 'database'>,
  use: (db: mongoose.mongo.Db) => Promise<T>,
): Promise<T> {
  const client = await mongoose.mongo.MongoClient.connect(mongoUrl)
  try {
    return await use(client.db(database))
  } finally {
    await client.close()
  }
}
