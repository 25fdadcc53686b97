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

/** `CUSTOMER_RETENTION_DAYS`. */
export function readCustomerRetentionMs(env: EnvReader): number {
  const limits = { min: 1, max: 3650, unit: 'days' }
  const meaning = "how long an order keeps its customer's id, name, e-mail and phone"
  return env.integer('CUSTOMER_RETENTION_DAYS', 365, meaning, limits) * DAY_MS
}
