/** The seeded merchant: created at the first start through the public and operator APIs, reused at later starts. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { serviceUrl, type Wiring } from './services.ts'
import type { SeededMerchant } from './stack-file.ts'
import { writePrivate } from '@gateway-infra/system/private-file'

type Answer = Readonly<Record<string, unknown>>
type Credentials = Pick<SeededMerchant, 'merchant_id' | 'key_id' | 'key_secret'>

const MERCHANT = { name: 'Demo Stores', vpa: 'demo.stores@sandbox', mcc: '5311' }
const WEBHOOK_URL = 'https://localhost:9443/webhooks'
const TIMEOUT_MS = 10_000

/** Addresses used to create the merchant. */
export interface Doors {
  /** The gateway. */
  readonly baseUrl: string
  /** auth-token's API for operators. */
  readonly operatorUrl: string
  readonly operatorToken: string
}

/** Seeds the merchant of a stack on this machine. */
export async function seedMerchant(stateDir: string, wiring: Wiring, webhookUrl?: string): Promise<SeededMerchant> {
  const { ports, secrets } = wiring
  const [baseUrl, operatorUrl] = [serviceUrl(ports, 'api-gateway'), serviceUrl(ports, 'auth-token-operator')]
  return seedMerchantAt(stateDir, { baseUrl, operatorUrl, operatorToken: secrets.authTokenOperatorToken }, webhookUrl)
}

/** Resolves to a merchant with valid credentials and a registered webhook endpoint. */
export async function seedMerchantAt(
  stateDir: string,
  { baseUrl, operatorUrl, operatorToken }: Doors,
  webhookUrl = WEBHOOK_URL,
): Promise<SeededMerchant> {
  const file = join(stateDir, 'merchant.json')
  const kept = readKept(file)
  // The stored merchant may belong to another database.
  const known = kept && (await fetchToken(baseUrl, kept)) !== undefined ? kept : undefined
  const credentials = known ?? (await createMerchant(operatorUrl, operatorToken))
  // Stored before anything else can fail: the key's secret is shown only once.
  const made: SeededMerchant = { webhook_secret: '', webhook_url: '', ...known, ...credentials }
  writePrivate(file, JSON.stringify(made, null, 2))

  const token = (await fetchToken(baseUrl, credentials)) ?? ''
  const secret = await registerEndpoint(`${baseUrl}/api/v1/webhooks/endpoint`, token, webhookUrl, made.webhook_secret)
  const merchant = { ...made, webhook_secret: secret, webhook_url: webhookUrl }
  writePrivate(file, JSON.stringify(merchant, null, 2))
  return merchant
}

async function createMerchant(operatorUrl: string, operatorToken: string): Promise<Credentials> {
  const { status, body } = await call('POST', `${operatorUrl}/operator/v1/merchants`, operatorToken, MERCHANT)
  if (status !== 200 && status !== 201) throw new Error(`the merchant could not be created: ${status} ${JSON.stringify(body)}`)
  return { merchant_id: text(body, 'merchant_id'), key_id: text(body, 'key_id'), key_secret: text(body, 'key_secret') }
}

/** `undefined` when auth-token does not know these credentials. */
async function fetchToken(baseUrl: string, { key_id, key_secret }: Credentials): Promise<string | undefined> {
  const { status, body } = await call('POST', `${baseUrl}/api/v1/auth/token`, undefined, { key_id, key_secret })
  if (status === 401) return undefined
  if (status !== 200) throw new Error(`no token for the merchant: ${status} ${JSON.stringify(body)}`)
  return text(body, 'token')
}

/** Returns the signing secret, which is shown only at the first registration; if it was lost, a new one is requested. */
async function registerEndpoint(endpoint: string, token: string, webhookUrl: string, knownSecret: string): Promise<string> {
  const current = await call('GET', endpoint, token)
  const isRegistered = current.status === 200 && data(current.body)['url'] === webhookUrl
  const answer = isRegistered ? current : await call('PUT', endpoint, token, { url: webhookUrl })
  if (answer.status !== 200)
    throw new Error(`the webhook endpoint was not registered: ${answer.status} ${JSON.stringify(answer.body)}`)

  const shown = data(answer.body)['signing_secret']
  if (typeof shown === 'string') return shown
  if (knownSecret !== '') return knownSecret
  const rotated = await call('POST', `${endpoint}/rotate-secret`, token)
  return text(data(rotated.body), 'signing_secret')
}

async function call(method: string, url: string, token?: string, payload?: object): Promise<{ status: number; body: Answer }> {
  const response = await fetch(url, {
    method,
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: {
      ...(payload && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(payload && { body: JSON.stringify(payload) }),
  })
  const body: unknown = await response.json().catch(() => ({}))
  return { status: response.status, body: isAnswer(body) ? body : {} }
}

function data(body: Answer): Answer {
  return isAnswer(body['data']) ? body['data'] : {}
}

function text(body: Answer, name: string): string {
  const value = body[name]
  if (typeof value !== 'string') throw new Error(`the answer has no ${name}`)
  return value
}

function readKept(file: string): SeededMerchant | undefined {
  try {
    const kept: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (!isAnswer(kept)) return undefined
    return {
      merchant_id: text(kept, 'merchant_id'),
      key_id: text(kept, 'key_id'),
      key_secret: text(kept, 'key_secret'),
      webhook_secret: text(kept, 'webhook_secret'),
      webhook_url: text(kept, 'webhook_url'),
    }
  } catch {
    return undefined
  }
}

function isAnswer(value: unknown): value is Answer {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
