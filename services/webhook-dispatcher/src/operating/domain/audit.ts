import type { RefundTransition, Transition } from '@gateway/contracts'
import type { AuditedDelivery } from '../../deliveries/index.ts'
import type { Channel } from '../../endpoints/index.ts'

/** A committed status change of a transaction or a refund. */
export interface Change {
  /** The event's id, which is also the delivery's. */
  readonly id: string
  readonly channel: Channel
  /** The id of the transaction or the refund. */
  readonly subject: string
  readonly sequence: number
  readonly merchant_id: string
  readonly at: Date
  /** When the order was created, or the refund requested: its webhooks go to the endpoint of that time. `undefined` for orders. */
  readonly boundAt?: Date
  /** False while its event still waits in the outbox. */
  readonly published: boolean
  /** The status that it led to; only of the latest change of each subject. */
  readonly status: string | undefined
}

export function changeOf(transition: Transition | RefundTransition): Change {
  const { sequence, merchant_id, at, published, status } = transition
  const [subject, refund] =
    'refund_id' in transition
      ? [transition.refund_id, { channel: 'refund', boundAt: new Date(transition.created_at) } as const]
      : [transition.transaction_id, { channel: 'payment' } as const]
  return { id: `${subject}.${sequence}`, subject, sequence, merchant_id, at: new Date(at), published, status, ...refund }
}

/**
 * `no_delivery`: a committed change without a record. `sequence_hole`: the same, but a later change of the same subject has a
 * record. `no_transition`: a record of a change that payment-status has not committed. `overdue`: retrying, but its attempt
 * was not made in time. `dead`: given up. `wrong_status`: the webhook says another status than payment-status has committed.
 */
export const GAP_KINDS = ['no_delivery', 'sequence_hole', 'no_transition', 'overdue', 'dead', 'wrong_status'] as const
export type GapKind = (typeof GAP_KINDS)[number]

export interface Gap {
  readonly kind: GapKind
  /** The event's id, which is also the delivery's. */
  readonly id: string
  readonly merchant_id: string
  /** Time of the change, or of the record when there is no change. */
  readonly at: Date
  /** Why it is dead, when the attempt was due, or the two statuses. */
  readonly detail: string | null
}

/** `no_endpoint`: no URL was registered, so no webhook is owed. `on_the_way`: too recent to judge, or still in the outbox. */
export const AUDIT_COUNTS = ['transitions', 'deliveries', 'delivered', 'retrying', 'no_endpoint', 'on_the_way'] as const
export type AuditCounts = Readonly<Record<(typeof AUDIT_COUNTS)[number], number>>

/** Each of these names with its number. */
export function numbersOf<Name extends string>(names: readonly Name[], numberOf: (name: Name) => number): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, numberOf(name)])) as Record<Name, number>
}

export interface AuditRules {
  readonly now: Date
  /** How long a change may be without its record. */
  readonly graceMs: number
  /** How late an attempt may be. */
  readonly overdueMs: number
}

export interface Comparison {
  readonly counts: AuditCounts
  readonly gaps: readonly Gap[]
}

/** Compares all changes with all records of the same subjects, in any order. */
export function compare(changes: readonly Change[], deliveries: readonly AuditedDelivery[], rules: AuditRules): Comparison {
  const records = new Map(deliveries.map((delivery) => [delivery.id, delivery]))
  const committed = new Set(changes.map(({ id }) => id))
  const latest = latestSequences(deliveries)
  const counts = { ...numbersOf(AUDIT_COUNTS, () => 0), transitions: changes.length, deliveries: deliveries.length }
  const gaps: Gap[] = []

  for (const { id, subject, sequence, merchant_id, at, published, status } of changes) {
    const record = records.get(id)
    if (record) {
      const isWrong = status !== undefined && record.sentStatus !== status
      if (isWrong) gaps.push(gapOf('wrong_status', record, `${record.sentStatus} instead of ${status}`))
    } else if (!published || isRecent(at, rules)) counts.on_the_way += 1
    else {
      const kind = sequence < (latest.get(subject) ?? 0) ? 'sequence_hole' : 'no_delivery'
      gaps.push({ kind, id, merchant_id, at, detail: null })
    }
  }
  for (const delivery of deliveries) {
    if (!committed.has(delivery.id)) {
      // The changes were read before the records: a change committed in between is no gap.
      if (isRecent(delivery.created_at, rules)) counts.on_the_way += 1
      else gaps.push(gapOf('no_transition', delivery, null))
    }
    const gap = gapOfRecord(delivery, rules)
    if (gap) gaps.push(gap)
    if (delivery.status !== 'dead') counts[delivery.status] += 1
    else if (delivery.dead_reason === 'no_endpoint') counts.no_endpoint += 1
  }
  return { counts, gaps }
}

function gapOfRecord(delivery: AuditedDelivery, { now, overdueMs }: AuditRules): Gap | undefined {
  const { status, dead_reason, next_attempt_at, claimed_until } = delivery
  if (status === 'dead') return dead_reason === 'no_endpoint' ? undefined : gapOf('dead', delivery, dead_reason)
  if (status !== 'retrying' || !next_attempt_at || claimed_until > now) return undefined
  const isOverdue = now.getTime() - next_attempt_at.getTime() > overdueMs
  return isOverdue ? gapOf('overdue', delivery, next_attempt_at.toISOString()) : undefined
}

function gapOf(kind: GapKind, { id, merchant_id, created_at }: AuditedDelivery, detail: string | null): Gap {
  return { kind, id, merchant_id, at: created_at, detail }
}

function isRecent(at: Date, { now, graceMs }: AuditRules): boolean {
  return now.getTime() - at.getTime() < graceMs
}

function latestSequences(deliveries: readonly AuditedDelivery[]): Map<string, number> {
  const latest = new Map<string, number>()
  for (const { subject, sequence } of deliveries) latest.set(subject, Math.max(sequence, latest.get(subject) ?? 0))
  return latest
}
