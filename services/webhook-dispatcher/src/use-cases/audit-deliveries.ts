import { Fault, firstTransactionIdAt, type Transition } from '@gateway/contracts'
import {
  AUDIT_COUNTS,
  compare,
  GAP_KINDS,
  type AuditCounts,
  type AuditedDelivery,
  type Comparison,
  type Gap,
  type GapKind,
} from '../domain/audit.ts'
import type { CompareRefunds } from './compare-refunds.ts'
import type { FetchTransitions } from '../clients/payment-status.ts'
import type { ListDeliveriesOf, TransactionRange } from '../persistence/delivery-ranges.ts'

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
  readonly listDeliveriesOf: ListDeliveriesOf
  readonly compareRefunds: CompareRefunds
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
  const {
    fetchTransitions,
    listDeliveriesOf,
    compareRefunds,
    retentionMs,
    graceMs,
    overdueMs,
    now,
    recordsPerRead = RECORDS_PER_READ,
  } = options

  return async ({ since: asked, until: askedUntil, merchantId, after, limit }) => {
    const at = now()
    const oldest = new Date(at.getTime() - retentionMs)
    const since = asked && asked > oldest ? asked : oldest
    const until = askedUntil ?? at
    const page = await fetchTransitions({
      since: since.toISOString(),
      until: until.toISOString(),
      limit: String(limit),
      ...(after === undefined ? {} : { cursor: after }),
    })
    const range = {
      after,
      from: after === undefined ? firstTransactionIdAt(since) : undefined,
      upTo: page.next_cursor ?? undefined,
      before: firstTransactionIdAt(until),
    }
    const ofMerchant = (id: string): boolean => merchantId === undefined || id === merchantId
    const total = emptyTotal()
    const rules = { now: at, graceMs, overdueMs }
    // A payment-status of an older release tells nothing of refunds.
    if (page.refunds) addTo(total, await compareRefunds(page.refunds, range, ofMerchant, rules))
    for await (const { transitions, deliveries } of inParts(page.transitions, range)) {
      const comparison = compare(
        transitions.filter((transition) => ofMerchant(transition.merchant_id)),
        deliveries.filter((delivery) => ofMerchant(delivery.merchantId)),
        rules,
      )
      addTo(total, comparison)
    }
    return { since, until, ...total, ...(page.next_cursor === null ? {} : { next: page.next_cursor }) }
  }

  /** The changes with their records, in parts of whole transactions: memory stays bounded by `recordsPerRead`. */
  async function* inParts(
    transitions: readonly Transition[],
    range: TransactionRange,
  ): AsyncGenerator<{ transitions: readonly Transition[]; deliveries: readonly AuditedDelivery[] }> {
    let [left, rest] = [transitions, range]
    for (;;) {
      const found = await listDeliveriesOf(rest, recordsPerRead)
      // The last transaction of a full read may continue in the next one.
      const cut = found.length < recordsPerRead ? undefined : found.at(-1)?.transactionId
      if (cut === undefined) {
        yield { transitions: left, deliveries: found }
        return
      }
      const whole = found.filter(({ transactionId }) => transactionId < cut)
      const last = whole.at(-1)?.transactionId
      if (last === undefined) throw new Fault(`transaction ${cut} has more records than one read holds`)
      yield { transitions: left.filter((one) => one.transaction_id < cut), deliveries: whole }
      left = left.filter((one) => one.transaction_id >= cut)
      rest = { ...rest, after: last, from: undefined }
    }
  }
}

interface Total {
  readonly counts: Record<keyof AuditCounts, number>
  readonly gapCounts: Record<GapKind, number>
  readonly gaps: Gap[]
}

function emptyTotal(): Total {
  return {
    counts: { transitions: 0, deliveries: 0, delivered: 0, retrying: 0, no_endpoint: 0, on_the_way: 0 },
    gapCounts: { no_delivery: 0, sequence_hole: 0, no_transition: 0, overdue: 0, dead: 0, wrong_status: 0 },
    gaps: [],
  }
}

function addTo(total: Total, { counts, gaps }: Comparison): void {
  for (const name of AUDIT_COUNTS) total.counts[name] += counts[name]
  for (const kind of GAP_KINDS) total.gapCounts[kind] += gaps.filter((gap) => gap.kind === kind).length
  total.gaps.push(...gaps.slice(0, MAX_GAPS_NAMED - total.gaps.length))
}
