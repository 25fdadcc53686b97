/** Values of a safe production configuration, random in every process. For tests and checks only. */
import { randomBytes } from 'node:crypto'

export const randomToken = () => randomBytes(32).toString('base64url')
export const callbackSecret = (bytes = randomBytes(32)) => `whsec_${bytes.toString('base64')}`
const randomKey = () => randomBytes(32).toString('base64')

const SERVICE_TOKEN = randomToken()

export const GOOD: Readonly<Record<string, string>> = {
  ENVIRONMENT: 'production',
  MONGO_URL: `mongodb://gateway:${randomToken()}@one.db.example:27017,two.db.example:27017/?replicaSet=rs0&tls=true`,
  AMQP_URL: `amqps://gateway:${randomToken()}@broker.example/gateway`,
  SERVICE_TOKEN,
  CALLER_TOKENS: `api-gateway:${randomToken()},checkout:${SERVICE_TOKEN}`,
  OPERATOR_TOKEN: randomToken(),
  OPERATOR_TOKENS: `asha:${randomToken()},ravi:${randomToken()}`,
  NETWORK_API_KEY: randomToken(),
  NETWORK_CALLBACK_SECRET: callbackSecret(),
  CHECKOUT_LINK_KEY: randomKey(),
  PAYER_HASH_KEY: randomKey(),
  MASTER_KEYS: `k2:${randomKey()},k1:${randomKey()}`,
  JWKS_URL: 'https://auth.example/internal/v1/jwks.json',
  PUBLIC_URL: 'https://pay.example',
  NETWORK_URL: 'https://connector.example',
  AUTH_TOKEN_URL: 'https://auth.example',
  ORDER_API_URL: 'https://orders.example',
  PAYMENT_STATUS_URL: 'https://status.example',
  CHECKOUT_URL: 'https://checkout.example',
  CALLBACK_URL: 'https://pay.example/network/v1/callbacks',
  WEBHOOK_DISPATCHER_URL: 'https://webhooks.example',
  LEDGER_URL: 'https://ledger.example',
}
