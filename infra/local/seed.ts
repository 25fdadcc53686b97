/** The seeded merchant: created at the first start through the public and operator APIs, reused at later starts. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DEFAULT_SCOPES } from '@gateway/contracts'
import { ApiError, Gateway } from '@gateway/sdk'
import { createMerchant, type MerchantDetails } from '@gateway/testkit/merchants'
import { writePrivate } from '@gateway-infra/system/private-file'
import type { SeededMerchant } from './stack-file.ts'

/** It may refund, which a merchant's first credential otherwise may not. */
const MERCHANT: MerchantDetails = { name: 'Demo Stores', vpa: 'demo.stores@sandbox', scopes: [...DEFAULT_SCOPES, 'refunds'] }
const WEBHOOK_URL = 'https://localhost:9443/webhooks'
export const NO_MERCHANT: SeededMerchant = { merchant_id: '', key_id: '', key_secret: '', webhook_secret: '', webhook_url: '' }

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
  // In docker compose the gateway is another machine, in a network of its own.
  const endpointOf = (credentials: SeededMerchant) => new Gateway({ baseUrl, credentials, allowHttp: true }).endpoint
  const kept = readKept(file)
  const known = kept && (await registeredAt(endpointOf(kept)))
  const merchant = { ...NO_MERCHANT, ...(known ? kept : await createMerchant(operator, MERCHANT)) }
  // Stored before anything else can fail: the key's secret is shown only once.
  keep(merchant)

  const endpoint = endpointOf(merchant)
  const registeredUrl = known?.url
  const url = wantedUrl ?? registeredUrl ?? WEBHOOK_URL
  const { signing_secret: shown = merchant.webhook_secret } = url === registeredUrl ? {} : await endpoint.register(url)
  // The secret is shown only at the first registration; if it was lost, a new one is requested.
  const secret = shown === '' ? (await endpoint.rotateSecret()).signing_secret : shown
  const seeded = { ...merchant, webhook_secret: secret, webhook_url: url }
  keep(seeded)
  return seeded
}

/** The URL that the merchant has registered, if any; `undefined` when auth-token does not know the credentials. */
async function registeredAt(endpoint: Gateway['endpoint']): Promise<{ readonly url: string | undefined } | undefined> {
  try {
    return await endpoint.get()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.status === 404) return { url: undefined }
    if (error.status === 401) return undefined
    throw error
  }
}

/** The file is our own; `undefined` when it is missing or damaged. */
function readKept(file: string): SeededMerchant | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as SeededMerchant
  } catch {
    return undefined
  }
}
