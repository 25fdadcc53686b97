import { Webhook } from 'standardwebhooks'
import { formatSigningSecret, readSigningSecret } from '@gateway/contracts'
import { signedHeaders } from './signed-headers.ts'

const secrets = [1, 2].map((byte) => formatSigningSecret(Buffer.alloc(32, byte)))
const at = new Date()
const headers = signedHeaders({
  webhookId: '01J.2',
  attempt: 3,
  sequence: 2,
  body: '{"a":"ü"}',
  keys: secrets.map(readSigningSecret),
  at,
})

// Proves: spec/6-1-6-webhooks-authenticated-how, webhooks/signature
test.each(secrets)('while a secret rotates, a receiver with either one verifies', (secret) => {
  expect(new Webhook(secret).verify('{"a":"ü"}', headers)).toEqual({ a: 'ü' })
})

// Proves: webhooks/webhook-attempt-webhook-sequence
test('the headers are those of the design', () => {
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'webhook-id': '01J.2',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-attempt': '3',
    'webhook-sequence': '2',
  })
  expect(headers['webhook-signature']).toMatch(/^v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=$/u)
  expect(headers).not.toHaveProperty('webhook-test')
})
