import type { EnvReader } from '@gateway/service-kit'

/** How long customers are kept and how often the purge runs, in milliseconds. */
export interface CustomerConfig {
  readonly customerRetentionMs: number
  readonly customerPurgeIntervalMs: number
}

const DAY_MS = 24 * 60 * 60 * 1000

/** `CUSTOMER_RETENTION_DAYS` and `CUSTOMER_PURGE_INTERVAL`. */
export function readCustomerConfig(env: EnvReader): CustomerConfig {
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
