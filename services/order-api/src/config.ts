import { parseAmount } from '@gateway/contracts'
import {
  readBroker,
  readCallers,
  readCheckoutLinkKeys,
  readDatabase,
  readJwksUrl,
  readNetworkUsesProxy,
  readQueuePartitions,
  readServer,
  tokensOf,
  type EnvReader,
} from '@gateway/service-kit'
import type { NetworkAddress } from '@gateway/connector-client'
import { parseUpiCap } from './domain/upi-cap.ts'

/** The default of `DATABASE`. */
export const DATABASE_NAME = 'order_api'

export type Config = ReturnType<typeof readOrderApiConfig>

/** The configuration of `order-api`, read from its environment. */
export function readOrderApiConfig(env: EnvReader) {
  const callers = readCallers(env)
  return {
    ...readServer(env, 8102),
    ...readDatabase(env, DATABASE_NAME),
    ...readBroker(env),
    queuePartitions: readQueuePartitions(env),
    ...readCustomerConfig(env),
    jwksUrl: readJwksUrl(env),
    callers,
    publicUrl: env.serviceUrl('PUBLIC_URL', "the gateway's address as shoppers see it"),
    checkoutLinkKey: readCheckoutLinkKeys(env)[0],
    intents: readIntents(env, tokensOf(callers)),
    limits: {
      minAmountPaise: amount(env, 'ORDER_MIN_AMOUNT', '1.00', 'smallest amount of an order'),
      maxAmountPaise: amount(env, 'ORDER_MAX_AMOUNT', '10000000.00', 'largest amount of an order'),
      upiCap: upiCap(env),
    },
  }
}

function amount(env: EnvReader, name: string, fallback: string, meaning: string): number {
  const amountPaise = parseAmount(env.text(name, fallback, meaning, 'rupees'))
  if (amountPaise === undefined) env.reject(`${name} must be an amount in rupees, such as 1.00`)
  return amountPaise ?? 0
}

function upiCap(env: EnvReader) {
  const type = 'rupees, then `<mcc>=<rupees>`, separated by commas'
  const cap = parseUpiCap(
    env.text('UPI_MAX_AMOUNT', '100000.00', 'largest amount for UPI, for all merchants and per merchant category code', type),
  )
  if (!cap) env.reject('UPI_MAX_AMOUNT must be an amount, then <mcc>=<amount>, separated by commas')
  return cap ?? { defaultPaise: 0, byMcc: new Map<string, number>() }
}

/** The connector that mints UPI links; `undefined` when the gateway builds them. */
function readIntents(env: EnvReader, ofServices: readonly string[]): NetworkAddress | undefined {
  const meaning = 'where UPI links come from: `local` builds them, `connector` asks NETWORK_URL'
  const source = env.oneOf('INTENT_SOURCE', ['local', 'connector'], 'local', meaning)
  const url = env.optionalServiceUrl('NETWORK_URL', "where the network's connector is")
  const usesProxy = readNetworkUsesProxy(env)
  const apiKey = env.optionalSecret('NETWORK_API_KEY', 'Bearer token sent to the network connector')
  if (apiKey !== undefined && ofServices.includes(apiKey))
    env.rejectInProduction('NETWORK_API_KEY must not be the token of a service')
  if (source === 'local') return undefined
  if (url === undefined || apiKey === undefined) env.reject('INTENT_SOURCE=connector needs NETWORK_URL and NETWORK_API_KEY')
  return { url: url ?? '', apiKey: apiKey ?? '', usesProxy }
}

/** How long customers are kept and how often the purge runs, in milliseconds. */
interface CustomerConfig {
  readonly customerRetentionMs: number
  readonly customerPurgeIntervalMs: number
}

const DAY_MS = 24 * 60 * 60 * 1000

/** `CUSTOMER_RETENTION_DAYS` and `CUSTOMER_PURGE_INTERVAL`. */
function readCustomerConfig(env: EnvReader): CustomerConfig {
  return {
    customerRetentionMs: readCustomerRetentionMs(env),
    customerPurgeIntervalMs: env.durationMs('CUSTOMER_PURGE_INTERVAL', '1m', 'pause between runs of the customer purge'),
  }
}

const MEANING = "how long an order keeps its customer's id, name, e-mail and phone"

function readCustomerRetentionMs(env: EnvReader): number {
  return env.integer('CUSTOMER_RETENTION_DAYS', 365, MEANING, { min: 1, max: 3650, unit: 'days' }) * DAY_MS
}

/** The same for a command, where it must be set: the command does not know the service's setting, and a purge is final. */
export function readGivenRetentionMs(env: EnvReader): number {
  if (env.optional('CUSTOMER_RETENTION_DAYS', MEANING) === undefined)
    env.reject('CUSTOMER_RETENTION_DAYS is required here: set the value that order-api has')
  return readCustomerRetentionMs(env)
}
