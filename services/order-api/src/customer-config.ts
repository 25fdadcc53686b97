import type { EnvReader } from '@gateway/service-kit'

/** How long customers are kept, and how often it is looked. */
export interface CustomerConfig {
  readonly customerRetentionMs: number
  readonly customerPurgeIntervalMs: number
}

const DAY_MS = 24 * 60 * 60 * 1000

export function readCustomerConfig(env: EnvReader): CustomerConfig {
  return {
    customerRetentionMs: readCustomerRetentionMs(env),
    customerPurgeIntervalMs: env.durationMs(
      'CUSTOMER_PURGE_INTERVAL',
      '1m',
      'how often customers past their retention are purged',
    ),
  }
}

const MEANING = "how long an order keeps its customer's id, name, e-mail and phone"

/** `CUSTOMER_RETENTION_DAYS`. */
function readCustomerRetentionMs(env: EnvReader): number {
  return env.integer('CUSTOMER_RETENTION_DAYS', 365, MEANING, { min: 1, max: 3650, unit: 'days' }) * DAY_MS
}

/** The same where it must be set: a command cannot know what the service was told, and what is purged does not come back. */
export function readGivenRetentionMs(env: EnvReader): number {
  if (env.optional('CUSTOMER_RETENTION_DAYS', MEANING) === undefined)
    env.reject('CUSTOMER_RETENTION_DAYS is required here: set it to what order-api has')
  return readCustomerRetentionMs(env)
}
