import { eventId, type Transition } from '@gateway/contracts'
import type { DeadReason, DeliveryStatus } from './delivery.ts'

/** The fields of a delivery's record that the audit compares. */
export interface AuditedDelivery {
  readonly id: string
  readonly transactionId: string
  readonly sequence: number
  readonly merchantId: string
  readonly status: DeliveryStatus
  readonly deadReason: DeadReason | null
  readonly nextAttemptAt: Date | null
  readonly claimedUntil: Date
  /** The status in the body that is sent; `null` when the body has none. */
  readonly sentStatus: string | null
  readonly createdAt: Date
}

/**
 * `no_delivery`: a committed change without a record. `sequence_hole`: the same, but a later change of the transaction has a
 * record. `no_transition`: a record of a change that payment-status has not committed. `overdue`: retrying, but its attempt
 * was not made in time. `dead`: given up. `wrong_status`: the webhook says another status than payment-status has committed.
 */
export const GAP_KINDS = ['no_delivery', 'sequence_hole', 'no_transition', 'overdue', 'dead', 'wrong_status'] as const
export type GapKind = (typeof GAP_KINDS)[number]

export interface Gap {
  readonly kind: GapKind
  /** The event's id, which is also the delivery's. */
  readonly id: string
  readonly merchantId: string
  /** Time of the change, or of the record when there is no change. */
  readonly at: Date
  /** Why it is dead, when the attempt was due, or the two statuses. */
  readonly detail: string | null
}

/** `no_endpoint`: no URL was registered, so no webhook is owed. `on_the_way`: too recent to judge, or still in the outbox. */
export const AUDIT_COUNTS = ['transitions', 'deliveries', 'delivered', 'retrying', 'no_endpoint', 'on_the_way'] as const
export type AuditCounts = Readonly<Record<(typeof AUDIT_COUNTS)[number], number>>

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

/** Compares all changes with all records of the same range of transactions, in any order. */
export function compare(
  transitions: readonly Transition[],
  deliveries: readonly AuditedDelivery[],
  rules: AuditRules,
): Comparison {
  const records = new Map(deliveries.map((delivery) => [delivery.id, delivery]))
  const committed = new Set(transitions.map((one) => eventId(one.transaction_id, one.sequence)))
  const latest = latestSequences(deliveries)
  const counts = {
    transitions: transitions.length,
    deliveries: deliveries.length,
    delivered: 0,
    retrying: 0,
    no_endpoint: 0,
    on_the_way: 0,
  }
  const gaps: Gap[] = []

  for (const transition of transitions) {
    const { transaction_id: transactionId, sequence, merchant_id: merchantId, published } = transition
    const id = eventId(transactionId, sequence)
    const at = new Date(transition.at)
    const record = records.get(id)
    if (record) {
      const gap = gapOfContent(record, transition)
      if (gap) gaps.push(gap)
      continue
    }
    if (!published || isRecent(at, rules)) counts.on_the_way += 1
    else
      gaps.push({
        kind: sequence < (latest.get(transactionId) ?? 0) ? 'sequence_hole' : 'no_delivery',
        id,
        merchantId,
        at,
        detail: null,
      })
  }
  for (const delivery of deliveries) {
    if (!committed.has(delivery.id)) {
      // The changes were read before the records: a change committed in between is no gap.
      if (isRecent(delivery.createdAt, rules)) counts.on_the_way += 1
      else gaps.push(gapOf('no_transition', delivery, null))
    }
    const gap = gapOfRecord(delivery, rules)
    if (gap) gaps.push(gap)
    if (delivery.status !== 'dead') counts[delivery.status] += 1
    else if (delivery.deadReason === 'no_endpoint') counts.no_endpoint += 1
  }
  return { counts, gaps }
}

function gapOfRecord(delivery: AuditedDelivery, { now, overdueMs }: AuditRules): Gap | undefined {
  const { status, deadReason, nextAttemptAt, claimedUntil } = delivery
  if (status === 'dead') return deadReason === 'no_endpoint' ? undefined : gapOf('dead', delivery, deadReason)
  if (status !== 'retrying' || !nextAttemptAt || claimedUntil > now) return undefined
  const isOverdue = now.getTime() - nextAttemptAt.getTime() > overdueMs
  return isOverdue ? gapOf('overdue', delivery, nextAttemptAt.toISOString()) : undefined
}

function gapOfContent(delivery: AuditedDelivery, { status }: Transition): Gap | undefined {
  if (status === undefined || delivery.sentStatus === status) return undefined
  return gapOf('wrong_status', delivery, `${delivery.sentStatus} instead of ${status}`)
}

function gapOf(kind: GapKind, { id, merchantId, createdAt }: AuditedDelivery, detail: string | null): Gap {
  return { kind, id, merchantId, at: createdAt, detail }
}

function isRecent(at: Date, { now, graceMs }: AuditRules): boolean {
  return now.getTime() - at.getTime() < graceMs
}

function latestSequences(deliveries: readonly AuditedDelivery[]): Map<string, number> {
  const latest = new Map<string, number>()
  for (const { transactionId, sequence } of deliveries) {
    latest.set(transactionId, Math.max(sequence, latest.get(transactionId) ?? 0))
  }
  return latest
}
