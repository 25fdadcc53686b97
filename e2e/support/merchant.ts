/** A merchant's program: its own tokens, and calls of the public API. */
import { randomBytes, randomUUID } from 'node:crypto'
import { EncryptJWT } from 'jose'
import type { CreateOrderRequest, CreateOrderResponse, SearchOrderResponse } from '@gateway/contracts'
import { jsonClient, type JsonAnswer, type JsonClient } from '@gateway/testkit'
import type { StackDescription } from './stack-description.ts'

export interface Credentials {
  readonly merchant_id: string
  readonly key_id: string
  readonly key_secret: string
}

export interface TokenClaims {
  readonly audience?: string
  /** Seconds since 1970. */
  readonly issuedAt?: number
  readonly lifetimeSeconds?: number
}

export interface Merchant {
  readonly credentials: Credentials
  readonly token: string
  /** Any call of the public API, authenticated. */
  readonly call: JsonClient
  create(order: CreateOrderRequest): Promise<JsonAnswer<CreateOrderResponse>>
  search(orderId: string): Promise<JsonAnswer<SearchOrderResponse>>
}

const TOKEN_SECONDS = 600

/** The Bearer token as any JOSE library makes it: an encrypted JWT, `dir` with A256GCM (design, section 5). */
export async function makeToken({ key_id, key_secret }: Credentials, claims: TokenClaims = {}): Promise<string> {
  const { audience = 'sandbox', issuedAt = Math.floor(Date.now() / 1000), lifetimeSeconds = TOKEN_SECONDS } = claims
  return new EncryptJWT()
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: key_id })
    .setIssuer(key_id)
    .setAudience(audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifetimeSeconds)
    .setJti(randomUUID())
    .encrypt(Buffer.from(key_secret, 'base64url'))
}

/** The platform's operator takes a merchant on. Throws when that is refused. */
export async function createMerchant({ operator }: StackDescription, name: string): Promise<Credentials> {
  const api = jsonClient(operator.url, { authorization: `Bearer ${operator.token}` })
  const vpa = `site.${randomBytes(4).toString('hex')}@sandbox`
  const { status, body } = await api<Credentials>('POST', '/operator/v1/merchants', { name, vpa, mcc: '5311' })
  if (status !== 201 && status !== 200) throw new Error(`the merchant was not made: ${status} ${JSON.stringify(body)}`)
  return body
}

/** With one token, which lives for ten minutes. */
export async function connectMerchant({ base_url }: StackDescription, credentials: Credentials): Promise<Merchant> {
  const token = await makeToken(credentials)
  const call = jsonClient(base_url, { authorization: `Bearer ${token}` })
  return {
    credentials,
    token,
    call,
    create: (order) => call('POST', '/api/v1/orders/create', order),
    search: (orderId) => call('POST', '/api/v1/order/search', { order_id: orderId }),
  }
}
