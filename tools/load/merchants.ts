import { randomUUID } from 'node:crypto'
import { EncryptJWT } from 'jose'
import { jsonClient } from '@gateway/testkit'

export interface Credentials {
  readonly key_id: string
  readonly key_secret: string
}

export interface Merchant extends Credentials {
  readonly merchant_id: string
  readonly name: string
  readonly vpa: string
  readonly mcc: string
}

/** The part of a running stack that makes merchants. */
export interface MerchantRegistry {
  readonly base_url: string
  readonly operator: { readonly url: string; readonly token: string }
}

const TOKEN_SECONDS = 600

/** New merchants, each with its webhooks registered at the same URL. */
export async function createMerchants(
  { operator, base_url: baseUrl }: MerchantRegistry,
  count: number,
  webhookUrl: string,
): Promise<Merchant[]> {
  const operators = jsonClient(operator.url, { authorization: `Bearer ${operator.token}` })
  const merchants: Merchant[] = []
  for (let number = 1; number <= count; number++) {
    const asked = { name: `Merchant ${number}`, vpa: `merchant.${number}@sandbox`, mcc: '5311' }
    const { status, body } = await operators<Pick<Merchant, 'merchant_id'> & Credentials>('POST', '/operator/v1/merchants', asked)
    if (status >= 300) throw new Error(`the merchant was not created: ${status} ${JSON.stringify(body)}`)
    const merchant = { ...asked, ...body }
    const api = jsonClient(baseUrl, { authorization: `Bearer ${await makeToken(merchant)}` })
    const registered = await api('PUT', '/api/v1/webhooks/endpoint', { url: webhookUrl })
    if (registered.status !== 200) throw new Error(`the webhook endpoint was not registered: ${registered.status}`)
    merchants.push(merchant)
  }
  return merchants
}

/** A Bearer token, as any JOSE library makes it (design, section 5). */
export async function makeToken({ key_id: keyId, key_secret: secret }: Credentials): Promise<string> {
  const issuedAt = Math.floor(Date.now() / 1000)
  return new EncryptJWT({ iss: keyId, aud: 'sandbox', jti: randomUUID() })
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: keyId })
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + TOKEN_SECONDS)
    .encrypt(Buffer.from(secret, 'base64url'))
}
