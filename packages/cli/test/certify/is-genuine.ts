import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** A mistake in the verification of signatures. */
export type Verification = 'none' | 'reserialised' | 'no_timestamp' | 'first_signature'

type Headers = IncomingMessage['headers']

/** Whether a webhook is genuine (docs/webhooks.md); with a mistake, the answer is wrong on purpose. */
export function isGenuine(headers: Headers, body: Buffer, secret: string, verification?: Verification): boolean {
  if (verification === 'none') return true
  const header = (name: string): string => String(headers[name] ?? '')
  const [id, timestamp] = [header('webhook-id'), header('webhook-timestamp')]
  if (verification !== 'no_timestamp' && !(Math.abs(Date.now() / 1000 - Number(timestamp || Number.NaN)) < 300)) return false
  const signed = verification === 'reserialised' ? JSON.stringify(JSON.parse(body.toString())) : body
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const wanted = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(signed).digest()
  const given = header('webhook-signature').split(' ')
  return (verification === 'first_signature' ? given.slice(0, 1) : given).some((signature) => {
    const bytes = Buffer.from(signature.slice('v1,'.length), 'base64')
    return signature.startsWith('v1,') && bytes.length === wanted.length && timingSafeEqual(bytes, wanted)
  })
}
