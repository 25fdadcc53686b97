import type { EnvReader, ServerConfig } from '@gateway/service-kit'

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

export function readOperatingConfig(env: EnvReader, environment: ServerConfig['environment']): OperatingConfig {
  const hasAudit = env.optional('PAYMENT_STATUS_URL') !== undefined
  return {
    retentionMs: env.integer('DELIVERY_RETENTION_DAYS', 30, { min: 1, max: 3650 }) * DAY_MS,
    paymentStatus: hasAudit
      ? { url: env.serviceUrl('PAYMENT_STATUS_URL', environment), token: env.secret('INTERNAL_API_TOKEN') }
      : undefined,
    auditGraceMs: env.durationMs('WEBHOOK_AUDIT_GRACE', '1m'),
    queueHeartbeatMs: env.durationMs('WEBHOOK_QUEUE_HEARTBEAT', '30s'),
    queueRestMs: env.durationMs('WEBHOOK_QUEUE_REST', '10m'),
  }
}
