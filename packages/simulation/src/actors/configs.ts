import { createHash } from 'node:crypto'
import { readConfig, type EnvReader } from '@gateway/service-kit'

/** The services that run in the simulation. */
export const SERVICES = ['order-api', 'payment-status', 'webhook-dispatcher'] as const
export type ServiceName = (typeof SERVICES)[number]
export const REPLICAS = [1, 2] as const
/** The services whose `QUEUE_PARTITIONS` says where their events go. */
export const PUBLISHERS = ['order-api', 'payment-status'] as const

export const CALLBACK_SECRET = `whsec_${bytesOf('callbacks')}`

const secretOf = (name: string): string => createHash('sha256').update(name).digest('hex')
export const CHECKOUT_TOKEN = secretOf('checkout')

function bytesOf(name: string): string {
  return createHash('sha256').update(name).digest('base64')
}

const SHARED: Readonly<Record<string, string>> = {
  ENVIRONMENT: 'sandbox',
  SHUTDOWN_DELAY: '0s',
  JWKS_URL: 'http://auth-token:8101/internal/v1/jwks.json',
}

const OWN: Readonly<Record<ServiceName, Readonly<Record<string, string>>>> = {
  'order-api': {
    CALLER_TOKENS: `payment-status:${secretOf('payment-status')}`,
    PUBLIC_URL: 'http://gateway',
    CHECKOUT_LINK_KEY: bytesOf('links'),
    CUSTOMER_RETENTION_DAYS: '365',
    CUSTOMER_PURGE_INTERVAL: '1h',
  },
  'payment-status': {
    CALLER_TOKENS: `checkout:${CHECKOUT_TOKEN},webhook-dispatcher:${secretOf('webhook-dispatcher')}`,
    SERVICE_TOKEN: secretOf('payment-status'),
    PUBLIC_URL: 'http://gateway',
    CHECKOUT_LINK_KEY: bytesOf('links'),
    ORDER_API_URL: 'http://order-api:8102',
    NETWORK_URL: 'http://network:8080',
    NETWORK_API_KEY: secretOf('network'),
    NETWORK_CALLBACK_SECRET: CALLBACK_SECRET,
    ENQUIRY_DELAYS: '2s,4s,8s',
    ENQUIRY_GRACE: '1s',
    ENQUIRY_GIVE_UP: '30m',
    FINAL_ENQUIRY_DELAYS: '3s,14s',
    REVERSAL_DELAYS: '1s,3s',
    REFUND_DELAYS: '1s,3s',
    ORDER_COMPARISON_AFTER: '20s',
  },
  'webhook-dispatcher': {
    MASTER_KEYS: `k1:${bytesOf('master key')}`,
    OPERATOR_TOKEN: secretOf('operator'),
    WEBHOOK_RETRY_DELAYS: '1s,2s,4s,8s,8s,8s,8s,8s',
    WEBHOOK_PARK_DELAYS: '500ms,2s',
    WEBHOOK_BREAKER_FIRST_OPEN: '1s',
    WEBHOOK_BREAKER_MAX_OPEN: '3s',
    WEBHOOK_TIMEOUT: '3s',
    WEBHOOK_CLAIM_MARGIN: '12s',
    SWEEP_OVERDUE: '3s',
    SWEEP_INTERVAL: '2s',
  },
}

export interface EngineUrls {
  readonly mongo: string
  readonly amqp: string
}

/** The configuration of a service, read by its own code, with times that fit into minutes. */
export function configOf<T extends object>(
  service: ServiceName,
  read: (env: EnvReader) => T,
  { mongo, amqp, partitions }: EngineUrls & { readonly partitions?: number },
): T {
  const own = { ...OWN[service], ...(partitions !== undefined && { QUEUE_PARTITIONS: String(partitions) }) }
  return readConfig({ ...SHARED, MONGO_URL: mongo, AMQP_URL: amqp, ...own }, read)
}
