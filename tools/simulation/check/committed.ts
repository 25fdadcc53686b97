import type { Entry } from '../mongo/log.ts'

/** Says that a rule is broken, at this moment. */
export type Violate = (rule: string, what: string) => void

interface StoredTransaction {
  readonly _id: string
  readonly outbox?: readonly { readonly id: string; readonly body: string }[]
  readonly status?: string
  readonly sequence?: number
}

export interface StoredDelivery {
  readonly _id: string
  readonly status: string
  readonly attempt_count: number
  readonly claimed_until: Date
  readonly next_attempt_at?: Date
}

const MOVES: Readonly<Record<string, readonly string[]>> = {
  Initiate: ['Initiate', 'Pending', 'Success', 'Failed'],
  Pending: ['Pending', 'Success', 'Failed'],
  Success: ['Success'],
  Failed: ['Failed'],
}

/** Follows what a majority of the database has: transactions, deliveries, and every event that was ever stored. */
export class Committed {
  readonly #violate: Violate
  readonly #bodies = new Map<string, string>()
  readonly #transactions = new Map<string, StoredTransaction>()
  readonly #deliveries = new Map<string, StoredDelivery>()
  /** Events that the broker has stored. */
  readonly #published = new Set<string>()
  readonly #delayed = new Set<string>()
  #quarantined = ''

  constructor(violate: Violate) {
    this.#violate = violate
  }

  transaction(id: string): object | undefined {
    return this.#transactions.get(id)
  }

  delivery(id: string): StoredDelivery | undefined {
    return this.#deliveries.get(id)
  }

  /** Whether a report of the network was kept for a person. */
  isQuarantined(reference: string): boolean {
    return this.#quarantined.includes(reference)
  }

  /** The text of a stored event. */
  bodyOf(eventId: string): string | undefined {
    return this.#bodies.get(eventId)
  }

  /** A message waits in a delay queue. */
  delayed(messageId: string): void {
    this.#delayed.add(messageId)
  }

  isDelayed(messageId: string): boolean {
    return this.#delayed.has(messageId)
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
    const after = change.after && transactionOf(change.after)
    if (namespace === 'webhook_dispatcher.deliveries' && after) this.#deliveries.set(after._id, deliveryOf(after))
    if (namespace === 'payment_status.quarantined_reports') this.#quarantined += JSON.stringify(after)
    this.#checkOutbox(before, after)
    if (namespace !== 'payment_status.transactions') return
    this.#checkMove(before, after)
    if (after) this.#transactions.set(after._id, after)
  }

  /** S7. */
  #checkOutbox(before: StoredTransaction | undefined, after: StoredTransaction | undefined): void {
    for (const { id, body } of after?.outbox ?? []) this.#bodies.set(id, body)
    const left = new Set(after?.outbox?.map(({ id }) => id))
    for (const { id } of before?.outbox ?? [])
      if (!left.has(id) && !this.#published.has(id))
        this.#violate('S7 cleared after its confirm', `${id} was cleared and not stored by the broker`)
  }

  /** S2: the table's moves, a sequence number for each, and nothing after a final status. */
  #checkMove(before: StoredTransaction | undefined, after: StoredTransaction | undefined): void {
    const rule = 'S2 changes follow the table'
    if (!after) {
      this.#violate(rule, `${before?._id ?? ''} was deleted`)
      return
    }
    const [from = 'Initiate', to = ''] = [before?.status, after.status]
    if (!MOVES[from]?.includes(to)) this.#violate(rule, `${after._id}: ${from} → ${to}`)
    const steps = (after.sequence ?? 0) - (before?.sequence ?? 0)
    if (steps < 0 || (before?.status !== to && steps === 0))
      this.#violate(rule, `${after._id}: ${from} → ${to} in ${steps} steps`)
  }
}

/** Documents of the model, as their services store them. */
function transactionOf(document: object): StoredTransaction {
  return document as StoredTransaction
}

function deliveryOf(document: object): StoredDelivery {
  return document as StoredDelivery
}
