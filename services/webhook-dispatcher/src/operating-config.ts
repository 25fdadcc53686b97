import { readInternalApiToken, type EnvReader } from '@gateway/service-kit'

/** What keeps the records, and what operators' tools need. */
export interface OperatingConfig {
  /** A delivered or dead delivery is kept so long after it finished. */
  readonly retentionMs: number
  /** Where committed status changes are exported for the audit; `undefined` when this deployment has no audit. */
  readonly paymentStatus: { readonly url: string; readonly token: string } | undefined
  /** A status change is given so long to get its delivery before the audit misses it. */
  readonly auditGraceMs: number
  /** How often a replica says which queues it uses; not said for four times as long, a queue is retired. */
  readonly queueHeartbeatMs: number
  /** How long a retired queue rests, cut off and beyond its own delay, before it may be removed. */
  readonly queueRestMs: number
}

const DAY_MS = 24 * 60 * 60 * 1000

export function readOperatingConfig(env: EnvReader): OperatingConfig {
  const auditUrl = env.optionalServiceUrl('PAYMENT_STATUS_URL', 'where payment-status is, for the audit; no audit without it')
  return {
    retentionMs: readRetentionMs(env),
    paymentStatus: auditUrl === undefined ? undefined : { url: auditUrl, token: readInternalApiToken(env) },
    auditGraceMs: env.durationMs('WEBHOOK_AUDIT_GRACE', '1m', 'how long a status change may take to get its delivery'),
    queueHeartbeatMs: env.durationMs('WEBHOOK_QUEUE_HEARTBEAT', '30s', 'how often a replica says which queues it uses'),
    queueRestMs: env.durationMs(
      'WEBHOOK_QUEUE_REST',
      '10m',
      'how long a queue rests that nobody uses, beyond its own delay, before it is removed',
    ),
  }
}

/** `DELIVERY_RETENTION_DAYS`, which is written into an index. */
export function readRetentionMs(env: EnvReader): number {
  const limits = { min: 1, max: 3650, unit: 'days' }
  return env.integer('DELIVERY_RETENTION_DAYS', 30, 'how long a finished delivery is kept', limits) * DAY_MS
}
