import { parseAmount, type NetworkReport } from '@gateway/contracts'
import type { TransactionDocument } from '@gateway-services/payment-status/payments/persistence/transaction-document'
import type { DeliveryDocument } from '@gateway-services/webhook-dispatcher/deliveries/persistence/delivery-document'
import type { Entry } from '../mongo/branch.ts'
import { MOVES } from './history.ts'

/** Says that a rule is broken, at this moment. */
export type Violate = (rule: string, what: string) => void

/** As payment-status stores it; of other documents with an outbox only that and the id count. */
type StoredTransaction = Omit<TransactionDocument, 'outbox'> & Partial<Pick<TransactionDocument, 'outbox'>>

/** Clocks of replicas differ. */
const TOLERANCE_MS = 500
/** The fields of claims, each with the field that tells when the work is due. */
const CLAIMS = [
  ['claim', 'due_at'],
  ['refunds_claim', 'refunds_due_at'],
] as const

/** Follows what a majority of the database has: transactions, deliveries, and every event that was ever stored. */
export class Committed {
  readonly #violate: Violate
  readonly #nowMs: () => number
  readonly #bodies = new Map<string, string>()
  readonly #transactions = new Map<string, StoredTransaction>()
  readonly #deliveries = new Map<string, DeliveryDocument>()
  /** Events that the broker has stored. */
  readonly #published = new Set<string>()
  #quarantined = ''

  constructor(violate: Violate, nowMs: () => number) {
    this.#violate = violate
    this.#nowMs = nowMs
  }

  transaction(id: string): object | undefined {
    return this.#transactions.get(id)
  }

  delivery(id: string): DeliveryDocument | undefined {
    return this.#deliveries.get(id)
  }

  /** Whether a report of the network is applied, or quarantined. Reports of one payment may differ in outcome and amount. */
  hasReport({ tr, reference, outcome, amount }: Pick<NetworkReport, 'tr' | 'reference' | 'outcome' | 'amount'>): boolean {
    const seen = this.#transactions.get(tr)?.seen_reports ?? []
    const isSeen = seen.some(
      (one) => one.reference === reference && one.outcome === outcome && one.amount_paise === parseAmount(amount),
    )
    return isSeen || this.#quarantined.includes(reference)
  }

  /** The text of a stored event. */
  bodyOf(eventId: string): string | undefined {
    return this.#bodies.get(eventId)
  }

  /** The broker has stored an event in every queue. */
  published(eventId: string): void {
    this.#published.add(eventId)
  }

  /** A majority has the entry. */
  onCommit({ change }: Entry): void {
    if (change.kind !== 'write') return
    const { namespace } = change
    const before = change.before && transactionOf(change.before)
    const after = transactionOf(change.after)
    if (namespace === 'webhook_dispatcher.deliveries') this.#deliveries.set(after._id, deliveryOf(after))
    if (namespace === 'payment_status.quarantined_reports') this.#quarantined += JSON.stringify(after)
    this.#checkOutbox(before, after)
    if (namespace !== 'payment_status.transactions') return
    this.#checkMove(before, after)
    if (before) this.#checkClaim(before, after)
    this.#transactions.set(after._id, after)
  }

  /** S7. */
  #checkOutbox(before: StoredTransaction | undefined, after: StoredTransaction): void {
    for (const { id, body } of after.outbox ?? []) this.#bodies.set(id, body)
    const left = new Set(after.outbox?.map(({ id }) => id))
    for (const { id } of before?.outbox ?? [])
      if (!left.has(id) && !this.#published.has(id))
        this.#violate('S7 cleared after its confirm', `${id} was cleared and not stored by the broker`)
  }

  /** S14: work is claimed only when it is due, so not before the lease of another claim has ended. */
  #checkClaim(before: StoredTransaction, after: StoredTransaction): void {
    for (const [claim, due] of CLAIMS) {
      const dueMs = before[due]?.getTime() ?? Infinity
      if (before[claim] !== after[claim] && dueMs > this.#nowMs() + TOLERANCE_MS)
        this.#violate('S14 one claim at a time', `${after._id} was claimed before it was due, by ${due}`)
    }
  }

  /** S2: each sequence number has its event in the same write, and one move of the table; so nothing follows a final status. */
  #checkMove(before: StoredTransaction | undefined, after: StoredTransaction): void {
    const rule = 'S2 changes follow the table'
    const [from, last, { status: to, sequence }] = [before?.status ?? 'nothing', before?.sequence ?? 0, after]
    if (from === to && last === sequence) return
    const told = changesIn(after, last)
    const statuses: string[] = [from, ...told.map(({ status }) => status)]
    const isAllowed = told.every(
      ({ status, sequence: number }, at) => number === last + at + 1 && MOVES[statuses[at] ?? '']?.includes(status),
    )
    if (!isAllowed || statuses.at(-1) !== to || last + told.length !== sequence)
      this.#violate(rule, `${after._id}: ${statuses.join(' → ')}, stored as ${to} from ${last} to ${sequence}`)
  }
}

interface StatusChange {
  readonly type: string
  readonly data: { readonly status: string; readonly sequence: number }
}

/** The status changes after a number that the outbox tells of, in their order. */
function changesIn({ outbox = [] }: StoredTransaction, after: number): StatusChange['data'][] {
  return outbox
    .map(({ body }) => JSON.parse(body) as StatusChange)
    .filter(({ type, data }) => type === 'transaction.status-changed' && data.sequence > after)
    .map(({ data }) => data)
    .toSorted((one, other) => one.sequence - other.sequence)
}

/** Documents of the model, as their services store them. */
export function transactionOf(document: object): StoredTransaction {
  return document as StoredTransaction
}

export function deliveryOf(document: object): DeliveryDocument {
  return document as DeliveryDocument
}
