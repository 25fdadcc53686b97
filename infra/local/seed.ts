/** The seeded merchant: created at the first start through the public and operator APIs, reused at later starts. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DEFAULT_SCOPES } from '@gateway/contracts'
import { writePrivate } from '@gateway-infra/system/private-file'
import type { SeededMerchant } from './stack-file.ts'

type Answer = Readonly<Record<string, unknown>>

/** It may refund, which a merchant's first credential otherwise may not. */
const MERCHANT = { name: 'Demo Stores', vpa: 'demo.stores@sandbox', mcc: '5311', scopes: [...DEFAULT_SCOPES, 'refunds'] }
const WEBHOOK_URL = 'https://localhost:9443/webhooks'
const NEW: SeededMerchant = { merchant_id: '', key_id: '', key_secret: '', webhook_secret: '', webhook_url: '' }
const TIMEOUT_MS = 10_000

export interface SeedOptions {
  /** The gateway. */
  readonly baseUrl: string
  /** auth-token's API for operators. */
  readonly operator: { readonly url: string; readonly token: string }
  /** Registered at each start. Without it, the merchant keeps the URL that it has registered. */
  readonly webhookUrl: string | undefined
}

/** Resolves to a merchant with valid credentials and a registered webhook endpoint, kept in `merchant.json`. */
export async function seedMerchant(
  stateDir: string,
  { baseUrl, operator, webhookUrl: wantedUrl }: SeedOptions,
): Promise<SeededMerchant> {
  const file = join(stateDir, 'merchant.json')
  const keep = (merchant: SeededMerchant): void => writePrivate(file, JSON.stringify(merchant, null, 2))
  const kept = readKept(file)
  const keptToken = kept && (await fetchToken(baseUrl, kept))
  const merchant = keptToken === undefined ? { ...NEW, ...(await createMerchant(operator)) } : { ...NEW, ...kept }
  // Stored before anything else can fail: the key's secret is shown only once.
  keep(merchant)

  const endpoint = `${baseUrl}/api/v1/webhooks/endpoint`
  const token = keptToken ?? (await fetchToken(baseUrl, merchant)) ?? ''
  const current = await call('GET', endpoint, token)
  const registeredUrl = current.status === 200 ? textIn(current, 'url') : undefined
  const url = wantedUrl ?? registeredUrl ?? WEBHOOK_URL
  const answer = url === registeredUrl ? current : await call('PUT', endpoint, token, { url })
  if (answer.status !== 200) throw failed('the webhook endpoint was not registered', answer)
  // The secret is shown only at the first registration; if it was lost, a new one is requested.
  const shown = textIn(answer, 'signing_secret') ?? merchant.webhook_secret
  const secret = shown === '' ? textIn(await call('POST', `${endpoint}/rotate-secret`, token), 'signing_secret') : shown
  if (secret === undefined) throw new Error('the webhook secret was not replaced')
  const seeded = { ...merchant, webhook_secret: secret, webhook_url: url }
  keep(seeded)
  return seeded
}

async function createMerchant({ url, token }: SeedOptions['operator']) {
  const made = await call('POST', `${url}/operator/v1/merchants`, token, MERCHANT)
  const { merchant_id, key_id, key_secret } = made.body
  if (typeof merchant_id !== 'string' || typeof key_id !== 'string' || typeof key_secret !== 'string')
    throw failed('the merchant could not be created', made)
  return { merchant_id, key_id, key_secret }
}

/** `undefined` when auth-token does not know these credentials: they may belong to another database. */
async function fetchToken(baseUrl: string, { key_id, key_secret }: SeededMerchant): Promise<string | undefined> {
  const answer = await call('POST', `${baseUrl}/api/v1/auth/token`, undefined, { key_id, key_secret })
  if (answer.status === 401) return undefined
  const { token } = answer.body
  if (typeof token !== 'string') throw failed('no token for the merchant', answer)
  return token
}

interface Answered {
  readonly status: number
  readonly body: Answer
}

async function call(method: string, url: string, token?: string, payload?: object): Promise<Answered> {
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

function failed(what: string, { status, body }: Answered): Error {
  return new Error(`${what}: ${status} ${JSON.stringify(body)}`)
}

/** A text in the answer's `data`. */
function textIn({ body: { data } }: Answered, name: string): string | undefined {
  const value = isAnswer(data) ? data[name] : undefined
  return typeof value === 'string' ? value : undefined
}

/** The file is our own; `undefined` when it is missing or damaged. */
function readKept(file: string): SeededMerchant | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as SeededMerchant
  } catch {
    return undefined
  }
}

function isAnswer(value: unknown): value is Answer {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
