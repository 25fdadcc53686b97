import { Fault, firstTransactionIdAt } from '@gateway/contracts'
import {
  type AuditedDelivery,
  type DeliveryReadModel,
  endOfSubject,
  endOfTransaction,
  type IdRange,
} from '../../deliveries/index.ts'
import { endpointIdOf, type Endpoints, registrationAt } from '../../endpoints/index.ts'
import type { FetchTransitions } from '../clients/payment-status.ts'
import {
  AUDIT_COUNTS,
  changeOf,
  compare,
  GAP_KINDS,
  numbersOf,
  type AuditCounts,
  type Change,
  type Comparison,
  type Gap,
  type GapKind,
} from '../domain/audit.ts'

export interface AuditRequest {
  /** Range of the transaction's creation; by default everything that the retention covers. */
  readonly since?: Date | undefined
  readonly until?: Date | undefined
  readonly merchantId?: string | undefined
  /** Where the previous step ended. */
  readonly after?: string | undefined
  /** Transactions to look at in this step. */
  readonly limit: number
}

export interface AuditStep {
  /** The range that was compared: nothing older than the retention. */
  readonly since: Date
  readonly until: Date
  readonly counts: AuditCounts
  readonly gapCounts: Readonly<Record<GapKind, number>>
  /** The first 200; `gapCounts` counts all of them. */
  readonly gaps: readonly Gap[]
  /** Where the next step begins; `undefined` when this was the last one. */
  readonly next?: string
}

/**
 * One bounded step of the audit: compares the status changes that payment-status has committed with the deliveries recorded
 * here, in the order of transaction ids, with which the primary keys of both begin.
 */
export type AuditDeliveries = (request: AuditRequest) => Promise<AuditStep>

export interface AuditOptions {
  readonly fetchTransitions: FetchTransitions
  readonly records: Pick<DeliveryReadModel, 'inRange'>
  readonly endpoints: Pick<Endpoints, 'findMany'>
  readonly retentionMs: number
  readonly graceMs: number
  readonly overdueMs: number
  readonly now: () => Date
  readonly recordsPerRead?: number
}

/** More records than the transactions of one page normally have. */
const RECORDS_PER_READ = 4000
const MAX_GAPS_NAMED = 200

export function makeAuditDeliveries(options: AuditOptions): AuditDeliveries {
  const { fetchTransitions, records, endpoints, retentionMs, graceMs, overdueMs, now } = options
  const { recordsPerRead = RECORDS_PER_READ } = options

  return async ({ since: wanted, until: wantedUntil, merchantId, after, limit }) => {
    const at = now()
    const oldest = new Date(at.getTime() - retentionMs)
    const since = wanted && wanted > oldest ? wanted : oldest
    const until = wantedUntil ?? at
    const page = await fetchTransitions({
      since: since.toISOString(),
      until: until.toISOString(),
      limit: String(limit),
      ...(after === undefined ? {} : { cursor: after }),
    })
    const range = {
      ...(after === undefined ? { $gte: firstTransactionIdAt(since) } : { $gt: endOfTransaction(after) }),
      ...(page.next_cursor === null ? {} : { $lte: endOfTransaction(page.next_cursor) }),
      $lt: firstTransactionIdAt(until),
    }
    const ofMerchant = (change: { readonly merchant_id: string }) => merchantId === undefined || change.merchant_id === merchantId
    const changes = [...page.transitions, ...page.refunds].map(changeOf).filter(ofMerchant)
    const isOwed = await owedOf(changes)
    const compared: Comparison[] = []
    for await (const part of inParts(changes, range)) {
      const deliveries = part.deliveries.filter(ofMerchant)
      const recorded = new Set(deliveries.map(({ id }) => id))
      const owed = part.changes.filter((change) => isOwed(change) || recorded.has(change.id))
      compared.push(compare(owed, deliveries, { now: at, graceMs, overdueMs }))
    }
    const gaps = compared.flatMap((part) => part.gaps)
    const counts = numbersOf(AUDIT_COUNTS, (name) => compared.reduce((sum, part) => sum + part.counts[name], 0))
    const gapCounts = numbersOf(GAP_KINDS, (kind) => gaps.filter((gap) => gap.kind === kind).length)
    const named = gaps.slice(0, MAX_GAPS_NAMED)
    return { since, until, counts, gapCounts, gaps: named, ...(page.next_cursor === null ? {} : { next: page.next_cursor }) }
  }

  /** Merchants opt in to webhooks of refunds: they are owed only to an endpoint that was registered when the refund was requested. */
  async function owedOf(changes: readonly Change[]): Promise<(change: Change) => boolean> {
    const ids = new Set(changes.filter(({ channel }) => channel === 'refund').map(endpointIdOf))
    const known = new Map((ids.size > 0 ? await endpoints.findMany([...ids]) : []).map((found) => [found.id, found]))
    return (change) => !change.boundAt || registrationAt(known.get(endpointIdOf(change)), change.boundAt) !== undefined
  }

  /** The changes with their records, in parts of whole subjects: memory stays bounded by `recordsPerRead`. */
  async function* inParts(
    changes: readonly Change[],
    range: IdRange,
  ): AsyncGenerator<{ changes: readonly Change[]; deliveries: readonly AuditedDelivery[] }> {
    let [left, rest] = [changes, range]
    for (;;) {
      const found = await records.inRange(rest, recordsPerRead)
      // The last subject of a full read may continue in the next one.
      const cut = found.length < recordsPerRead ? undefined : found.at(-1)?.subject
      if (cut === undefined) {
        yield { changes: left, deliveries: found }
        return
      }
      const whole = found.filter(({ subject }) => subject < cut)
      const last = whole.at(-1)?.subject
      if (last === undefined) throw new Fault(`${cut} has more records than one read holds`)
      yield { changes: left.filter(({ subject }) => subject < cut), deliveries: whole }
      left = left.filter(({ subject }) => subject >= cut)
      const { $gte: _from, ...bounds } = rest
      rest = { ...bounds, $gt: endOfSubject(last) }
    }
  }
}
