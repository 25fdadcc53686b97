/** A merchant with an HTTPS server on this machine that receives, verifies and records its webhooks. */
import { Webhook as Verifier } from 'standardwebhooks'
import { DEFAULT_SCOPES, type RefundView, type RegisteredEndpoint, type WebhookPayload } from '@gateway/contracts'
import { jsonClient, makeToken, receiverAddressFor, startWebhookReceiver, type ReceivedWebhook } from '@gateway/testkit'
import { connectMerchant, createMerchant, type Merchant } from './merchant.ts'
import { readAuthority, type StackDescription } from './stack-description.ts'

/** One attempt to deliver one webhook. */
export interface WebhookAttempt {
  readonly id: string
  readonly sequence: number
  /** 1 for the first attempt. */
  readonly attempt: number
  /** True when the published Standard Webhooks library accepts the signature. */
  readonly isAuthentic: boolean
  readonly payload: WebhookPayload
  /** The HTTP status that the site answered. */
  readonly status: number
  readonly receivedAt: Date
  readonly body: string
}

/** One webhook of a refund, as it arrived. */
export interface RefundWebhook {
  readonly isAuthentic: boolean
  readonly payload: { readonly type: string; readonly timestamp: string; readonly data: RefundView }
}

/** A test double of a merchant's server. */
export interface MerchantSite {
  readonly merchant: Merchant
  readonly webhookUrl: string
  readonly signingSecret: string
  /** Every delivery attempt for an order, in order of arrival. */
  attemptsFor(orderId: string): readonly WebhookAttempt[]
  /** Every webhook of the order's refunds, in order of arrival; each is answered 200. */
  refundWebhooksFor(orderId: string): readonly RefundWebhook[]
  /** Answers 500 to the first `times` attempts of each webhook of this order. */
  refuseFirst(orderId: string, times: number): void
  close(): Promise<void>
}

/** Services in containers reach this machine under the name in their merchant's URL, others as `localhost`. */
function addressFor({ services, merchant }: StackDescription): ReturnType<typeof receiverAddressFor> {
  const areHere = Object.values(services).some(({ pid }) => pid > 0)
  return receiverAddressFor(areHere ? 'https://localhost' : merchant.webhook_url)
}

/** Creates a merchant that may refund, and starts its server. `onWebhook` is called for each delivery attempt of a payment's webhook. */
export async function openMerchantSite(
  stack: StackDescription,
  name: string,
  onWebhook: (attempt: WebhookAttempt) => void = () => undefined,
): Promise<MerchantSite> {
  const merchant = connectMerchant(stack, await createMerchant(stack, name, [...DEFAULT_SCOPES, 'refunds']))
  const receiver = await startWebhookReceiver({ ca: readAuthority(stack), ...addressFor(stack) })
  const webhookUrl = `${receiver.url}/webhooks`
  const signingSecret = await registerEndpoint(merchant, webhookUrl)
  const verifier = new Verifier(signingSecret)
  const refunds = await receiveRefunds(stack, merchant, `${receiver.url}${REFUNDS_PATH}`)
  const attempts: WebhookAttempt[] = []
  const refusals = new Map<string, number>()

  receiver.respondWith((request) => {
    if (request.path === REFUNDS_PATH) return refunds.take(request)
    const read = readWebhook(request, verifier)
    const status = read.attempt <= (refusals.get(read.payload.merchantTxnId) ?? 0) ? 500 : 200
    const attempt = { ...read, status }
    attempts.push(attempt)
    onWebhook(attempt)
    return { status }
  })
  return {
    merchant,
    webhookUrl,
    signingSecret,
    attemptsFor: (orderId) => attempts.filter(({ payload }) => payload.merchantTxnId === orderId),
    refundWebhooksFor: (orderId) => refunds.received.filter(({ payload }) => payload.data.order_id === orderId),
    refuseFirst: (orderId, times) => refusals.set(orderId, times),
    close: () => receiver.stop(),
  }
}

const REFUNDS_PATH = '/refunds'

/** Registers the endpoint of refunds, which has its own secret. */
async function receiveRefunds({ base_url }: StackDescription, { credentials }: Merchant, url: string) {
  const call = jsonClient(base_url, { authorization: `Bearer ${await makeToken(credentials)}` })
  const { status, body } = await call<RegisteredEndpoint>('PUT', '/api/v1/webhooks/refund-endpoint', { url })
  const secret = status === 200 ? body.data.signing_secret : undefined
  if (secret === undefined) throw new Error(`the endpoint of refunds was not registered: ${status}`)
  const verifier = new Verifier(secret)
  const received: RefundWebhook[] = []
  return {
    received,
    take({ body: sent, headers }: ReceivedWebhook) {
      const payload = JSON.parse(sent.toString('utf8')) as RefundWebhook['payload']
      received.push({ isAuthentic: isAuthentic(sent, headers, verifier), payload })
      return { status: 200 }
    },
  }
}

async function registerEndpoint({ gateway }: Merchant, url: string): Promise<string> {
  const { signing_secret: secret } = await gateway.endpoint.register(url)
  if (secret === undefined) throw new Error('the merchant had an endpoint already')
  return secret
}

function readWebhook({ headers, body, receivedAt }: ReceivedWebhook, verifier: Verifier): Omit<WebhookAttempt, 'status'> {
  const header = (name: string): string => String(headers[name] ?? '')
  return {
    id: header('webhook-id'),
    sequence: Number(header('webhook-sequence')),
    attempt: Number(header('webhook-attempt')),
    isAuthentic: isAuthentic(body, headers, verifier),
    // Not validated here: each test compares every field.
    payload: JSON.parse(body.toString('utf8')) as WebhookPayload,
    receivedAt,
    body: body.toString('utf8'),
  }
}

function isAuthentic(body: Buffer, headers: ReceivedWebhook['headers'], verifier: Verifier): boolean {
  try {
    verifier.verify(body, headers as Record<string, string>)
    return true
  } catch {
    return false
  }
}
