/** A merchant with an HTTPS server on this machine that receives, verifies and records its webhooks. */
import { Webhook as Verifier } from 'standardwebhooks'
import { DEFAULT_SCOPES, type RefundView, type WebhookPayload } from '@gateway/contracts'
import type { Gateway } from '@gateway/sdk'
import { receiverAddressFor, startWebhookReceiver, type ReceivedWebhook } from '@gateway/testkit'
import { readAuthority, type Stack } from '@gateway-infra/local/stack-file'
import { openMerchant } from './merchant.ts'

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
export type MerchantSite = Awaited<ReturnType<typeof openMerchantSite>>

const REFUNDS_PATH = '/refunds'

/** Services in containers reach this machine under the name in their merchant's URL, others as `localhost`. */
function addressFor({ services, merchant }: Stack): ReturnType<typeof receiverAddressFor> {
  const areHere = Object.values(services).some(({ pid }) => pid > 0)
  return receiverAddressFor(areHere ? 'https://localhost' : merchant.webhook_url)
}

/** Creates a merchant that may refund, and starts its server. `onWebhook` is called for each delivery attempt of a payment's webhook. */
export async function openMerchantSite(
  stack: Stack,
  name: string,
  onWebhook: (attempt: WebhookAttempt) => void = () => undefined,
) {
  const merchant = await openMerchant(stack, name, [...DEFAULT_SCOPES, 'refunds'])
  const receiver = await startWebhookReceiver({ ca: readAuthority(stack), ...addressFor(stack) })
  const webhookUrl = `${receiver.url}/webhooks`
  const { endpoint, refundEndpoint } = merchant.gateway
  const signingSecret = await register(endpoint, webhookUrl)
  const verifier = new Verifier(signingSecret)
  const refundVerifier = new Verifier(await register(refundEndpoint, receiver.url + REFUNDS_PATH))
  const attempts: WebhookAttempt[] = []
  const refundWebhooks: RefundWebhook[] = []
  const refusals = new Map<string, number>()

  receiver.respondWith((request) => {
    if (request.path === REFUNDS_PATH) {
      const payload = JSON.parse(request.body.toString('utf8')) as RefundWebhook['payload']
      refundWebhooks.push({ isAuthentic: isAuthentic(request, refundVerifier), payload })
      return { status: 200 }
    }
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
    /** Every delivery attempt for an order, in order of arrival. */
    attemptsFor: (orderId: string) => attempts.filter(({ payload }) => payload.merchantTxnId === orderId),
    /** Every webhook of the order's refunds, in order of arrival; each is answered 200. */
    refundWebhooksFor: (orderId: string) => refundWebhooks.filter(({ payload }) => payload.data.order_id === orderId),
    /** Answers 500 to the first `times` attempts of each webhook of this order. */
    refuseFirst: (orderId: string, times: number) => void refusals.set(orderId, times),
    close: () => receiver.stop(),
  }
}

/** Registers an endpoint of a new merchant; resolves to its signing secret. */
async function register(endpoint: Gateway['refundEndpoint'], url: string): Promise<string> {
  const { signing_secret: secret } = await endpoint.register(url)
  if (secret === undefined) throw new Error('the merchant had an endpoint already')
  return secret
}

function readWebhook(request: ReceivedWebhook, verifier: Verifier): Omit<WebhookAttempt, 'status'> {
  const { headers, receivedAt } = request
  const body = request.body.toString('utf8')
  const header = (name: string): string => String(headers[name] ?? '')
  return {
    id: header('webhook-id'),
    sequence: Number(header('webhook-sequence')),
    attempt: Number(header('webhook-attempt')),
    isAuthentic: isAuthentic(request, verifier),
    // Not validated here: each test compares every field.
    payload: JSON.parse(body) as WebhookPayload,
    receivedAt,
    body,
  }
}

/** True when the published Standard Webhooks library accepts the signature. */
export function isAuthentic({ body, headers }: Pick<ReceivedWebhook, 'body' | 'headers'>, verifier: Verifier): boolean {
  try {
    verifier.verify(body, headers as Record<string, string>)
    return true
  } catch {
    return false
  }
}
