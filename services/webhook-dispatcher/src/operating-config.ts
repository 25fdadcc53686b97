import { readServiceToken, type EnvReader } from '@gateway/service-kit'

/** Settings for retention, the audit and the removal of unused queues. */
export interface OperatingConfig {
  /** How long a delivered or dead delivery is kept after it finished. */
  readonly retentionMs: number
  /** Where the audit reads committed status changes; `undefined` when this deployment has no audit. */
  readonly paymentStatus: { readonly url: string; readonly token: string } | undefined
  /** Where the audit of merchants and operators is kept; `undefined`: only this service's log shows it. */
  readonly auditLog: { readonly url: string; readonly token: string } | undefined
  /** How long a status change may be without a delivery before the audit reports it. */
  readonly auditGraceMs: number
  /** How often a replica records which queues it uses. A queue that is not recorded for four times as long is retired. */
  readonly queueHeartbeatMs: number
  /** How long a retired queue stays after it was cut off, in addition to its own delay. */
  readonly queueRestMs: number
}

const DAY_MS = 24 * 60 * 60 * 1000

export function readOperatingConfig(env: EnvReader): OperatingConfig {
  const auditUrl = env.optionalServiceUrl('PAYMENT_STATUS_URL', 'URL of payment-status, for the audit; no audit when unset')
  const authTokenUrl = env.optionalServiceUrl(
    'AUTH_TOKEN_URL',
    'URL of auth-token, which keeps the audit of merchants and operators; when unset, only the log shows what they did',
  )
  const token = auditUrl === undefined && authTokenUrl === undefined ? '' : readServiceToken(env)
  return {
    retentionMs: readRetentionMs(env),
    paymentStatus: auditUrl === undefined ? undefined : { url: auditUrl, token },
    auditLog: authTokenUrl === undefined ? undefined : { url: authTokenUrl, token },
    auditGraceMs: env.durationMs(
      'WEBHOOK_AUDIT_GRACE',
      '1m',
      'How long a status change may be without a delivery before the audit reports it',
    ),
    queueHeartbeatMs: env.durationMs('WEBHOOK_QUEUE_HEARTBEAT', '30s', 'How often a replica records which queues it uses'),
    queueRestMs: env.durationMs(
      'WEBHOOK_QUEUE_REST',
      '10m',
      'How long an unused queue is kept, in addition to its own delay, before it can be removed',
    ),
  }
}

/** `DELIVERY_RETENTION_DAYS`, which becomes an option of an index. */
export function readRetentionMs(env: EnvReader): number {
  const limits = { min: 1, max: 3650, unit: 'days' }
  return env.integer('DELIVERY_RETENTION_DAYS', 30, 'How long a finished delivery is kept', limits) * DAY_MS
}
