import { Fault, isFinal, type ExportedPayment, type TransactionStatusChanged } from '@gateway/contracts'
import { createBatcher, isDatabaseFailure } from '@gateway/service-kit'
import { entriesOfExport, type Entry } from '../domain/entry.ts'
import { paymentOfEvent, paymentOfExport, type NewPayment } from '../domain/payment.ts'
import { refundsOfExport, type LedgerRefund } from '../domain/refund.ts'
import type { ReadPayments } from '../clients/payment-status.ts'
import type { HashPayer } from '../payer-hash.ts'

export interface ApplyEvent {
  /** Stores the payment after a status change. After a final one it first reads the payment from payment-status. */
  statusChanged(event: TransactionStatusChanged): Promise<void>
  /** Reads the payment again after one of its reversals or refunds has changed. */
  changed(transactionId: string): Promise<void>
}

/** The id of a payment that has to be read again, or what its event says about it. */
type Change = string | NewPayment

/**
 * No caller waits for the ledger, and it shares database and processors with the payment path. So an event waits a quarter of a
 * second for others, and all of them together cost one request and a few commands.
 */
const BATCHING = { maxBatchSize: 200, maxQueued: 5000, maxDelayMs: 250, flushAtSize: 100 } as const
/**
 * How long the ledger rests after a batch: this many times as long as the batch took, which is longer on a busy machine. With a
 * factor of 2, creates per second fell by a tenth while all processors were busy.
 */
const REST_FACTOR = 6
const MAX_REST_MS = 3000
type Result = PromiseSettledResult<undefined>
const DONE: Result = { status: 'fulfilled', value: undefined }
const NOTHING_READ: ReadPayments = { payments: [], unreadable: [] }

/** Safe to repeat, in any order: a copy that is not newer changes nothing. */
export function makeApplyEvent(dependencies: {
  storePayments: (payments: readonly NewPayment[]) => Promise<void>
  storeRefunds: (refunds: readonly LedgerRefund[]) => Promise<void>
  storeEntries: (entries: readonly Entry[]) => Promise<void>
  /** Unknown ids are left out. Throws `Unavailable` when payment-status does not answer. */
  fetchPayments: (transactionIds: readonly string[]) => Promise<ReadPayments>
  hashPayer: HashPayer
}): ApplyEvent {
  const { storePayments, storeRefunds, storeEntries, fetchPayments, hashPayer } = dependencies

  async function store(changes: readonly Change[], exported: readonly ExportedPayment[]): Promise<void> {
    await Promise.all([storeRefunds(exported.flatMap(refundsOfExport)), storeEntries(exported.flatMap(entriesOfExport))])
    const ofEvents = changes.flatMap((change) => (isId(change) ? [] : [change]))
    await storePayments([...ofEvents, ...exported.map((payment) => paymentOfExport(payment, hashPayer))])
  }

  /** One change that can never be stored must not hold up those that came with it. Rejects when the database goes away. */
  async function storeOneByOne(changes: readonly Change[], exported: readonly ExportedPayment[]): Promise<Result[]> {
    const results: Result[] = []
    for (const change of changes) {
      const ofIt = exported.filter(({ transaction_id }) => transaction_id === change)
      const [result] = await Promise.allSettled([store([change], ofIt)])
      if (result.status === 'rejected' && isDatabaseFailure(result.reason)) throw result.reason
      results.push(result.status === 'rejected' ? result : DONE)
    }
    return results
  }

  async function applyTogether(changes: readonly Change[]): Promise<Result[]> {
    // Without payment-status, only the changes that need it fail.
    const [read] = await Promise.allSettled([fetchPayments([...new Set(changes.filter(isId))])])
    const { payments: exported, unreadable } = read.status === 'fulfilled' ? read.value : NOTHING_READ
    const results = await store(changes, exported).then(
      () => changes.map(() => DONE),
      (error: unknown) => {
        if (changes.length === 1 || isDatabaseFailure(error)) throw error
        return storeOneByOne(changes, exported)
      },
    )
    return changes.map((change, index) => {
      if (isId(change) && read.status === 'rejected') return read
      // Only this message is dead-lettered after some tries, with an alert.
      if (isId(change) && unreadable.includes(change)) return rejected(`payment ${change} cannot be read`)
      return results[index] ?? DONE
    })
  }

  let restsUntilMs = 0
  async function applyAfterRest(changes: readonly Change[]): Promise<Result[]> {
    const leftMs = restsUntilMs - performance.now()
    if (leftMs > 0) await new Promise((resolve) => setTimeout(resolve, leftMs))
    const startedMs = performance.now()
    try {
      return await applyTogether(changes)
    } finally {
      const endedMs = performance.now()
      restsUntilMs = endedMs + Math.min(REST_FACTOR * (endedMs - startedMs), MAX_REST_MS)
    }
  }

  const apply = createBatcher<Change, undefined>({ ...BATCHING, run: applyAfterRest })

  return {
    changed: (transactionId) => apply(transactionId),
    // The event lacks reference and failure code. Older consumers refuse an event with more fields, so they cannot be added.
    statusChanged: (event) => apply(isFinal(event.data.status) ? event.data.transaction_id : paymentOfEvent(event, hashPayer)),
  }
}

function rejected(reason: string): PromiseRejectedResult {
  return { status: 'rejected', reason: new Fault(reason) }
}

function isId(change: Change): change is string {
  return typeof change === 'string'
}
