/** Configurations of production, for tests and checks only. */
import { randomBytes } from 'node:crypto'
import { ConfigInvalid, readConfig } from '@gateway/service-kit'
import { readingsOf, type Reading, type Service } from './readings.ts'

export const randomToken = () => randomBytes(32).toString('base64url')
export const callbackSecret = (bytes = randomBytes(32)) => `whsec_${bytes.toString('base64')}`
const randomKey = () => randomBytes(32).toString('base64')

const SERVICE_TOKEN = randomToken()

/** Values of a safe production configuration, random in every process. */
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

/** What a service reads in production. */
export const inProduction = (service: Service) => readingsOf(service).filter(({ environment }) => environment === 'production')
export const isRequired = ({ required }: Reading) => required === true
/** Everything good that the service reads, and nothing else. */
export const completeOf = (service: Service) =>
  Object.fromEntries(inProduction(service).flatMap(({ name }) => (GOOD[name] === undefined ? [] : [[name, GOOD[name]]])))

/** What is wrong with these variables; nothing when the service would start. */
export function problemsOf(variables: Record<string, string>, { read }: Service): string[] {
  try {
    readConfig(variables, read)
    return []
  } catch (error) {
    if (!(error instanceof ConfigInvalid)) throw error
    return [...error.message.matchAll(/^ {2}- (.*)$/gmu)].map(([, problem = '']) => problem)
  }
}
