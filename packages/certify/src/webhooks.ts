import { sign } from '@gateway/sdk'
import type { SandboxEvent } from './wire/inbox.ts'

/** One request to the receiver. */
export interface Webhook {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What the gateway would send: these bytes, signed now. */
export async function genuine(event: SandboxEvent, secret: string, { attempt = 1, at = new Date() } = {}): Promise<Webhook> {
  const signed = await sign(event.body, secret, { id: event.id, at })
  const numbers = { 'webhook-attempt': String(attempt), 'webhook-sequence': String(event.sequence) }
  return { headers: { 'user-agent': 'payment-gateway-webhooks/1', ...signed, ...numbers }, body: event.body }
}

/** An event that the sandbox has not sent: the same payment with another status and a new id. */
export function claimed(event: SandboxEvent, status: string, sequence: number): SandboxEvent {
  const body = JSON.stringify({ ...(JSON.parse(event.body) as object), status })
  return { ...event, id: `evt_${crypto.randomUUID()}`, status, sequence, body }
}

export function unsigned({ headers, body }: Webhook): Webhook {
  const kept = Object.entries(headers).filter(([name]) => !name.startsWith('webhook-'))
  return { headers: Object.fromEntries(kept), body }
}

/** A signature with another secret, then the valid one, as during the rotation of a secret. */
export async function withForeignSignatureFirst(webhook: Webhook, foreignSecret: string): Promise<Webhook> {
  const { 'webhook-id': id = '', 'webhook-signature': valid = '' } = webhook.headers
  const foreign = await sign(webhook.body, foreignSecret, { id })
  return { ...webhook, headers: { ...webhook.headers, 'webhook-signature': `${foreign['webhook-signature']} ${valid}` } }
}

/** Two bodies that differ from the signed one: a digit of the amount, and a space at the end. */
export function changedBodies({ headers, body }: Webhook): readonly Webhook[] {
  const digit = body.replace(
    /("amount":")(\d)/u,
    (_whole, before: string, first: string) => `${before}${first === '9' ? '8' : '9'}`,
  )
  return [digit, `${body} `].map((changed) => ({ headers, body: changed }))
}

/** The same facts with unusual spacing, Hindi text, escaped characters and a field that a later version might add. */
export function unusual(event: SandboxEvent): SandboxEvent {
  const spaced = JSON.stringify({ ...(JSON.parse(event.body) as object), note: 'नीली कमीज़ ✓' }, null, 3).replaceAll('":', '"  :')
  return { ...event, body: `${spaced.replace('✓', String.raw`\u2713`)}\n` }
}

/** A test event as `POST /api/v1/webhooks/test` sends it. It belongs to no order. */
export async function testEvent(secret: string): Promise<Webhook & { readonly orderId: string }> {
  const txnid = `TEST${crypto.randomUUID().replaceAll('-', '').slice(0, 22).toUpperCase()}`
  const orderId = `TEST-${txnid}`
  const body = JSON.stringify({
    txnid,
    merchantTxnId: orderId,
    amount: '1.00',
    rrn: '000000000000',
    status: 'Success',
    payee: { name: 'Test Payer', vpa: 'test@sandbox' },
    metadata: { udf1: '', udf2: '', udf3: '' },
    datetime: '2026-01-31 18:30:00',
  })
  const signed = await sign(body, secret)
  return { headers: { ...signed, 'webhook-attempt': '1', 'webhook-sequence': '1', 'webhook-test': 'true' }, body, orderId }
}

/** A random secret that the receiver does not have. */
export function foreignSecret(): string {
  return `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64')}`
}
