import { Fault, firstTransactionIdAt, orderKey, slotOf } from '@gateway/contracts'
import { untilWritten } from '@gateway/messaging'
import type { Decision, Transaction } from '../domain/transaction.ts'
import { createRecentTransactions, MAX_WAIT_MS } from './recent-transactions.ts'
import type { TransactionStore } from './transaction-store.ts'

/** Told of every committed change before its event leaves; `before` is missing when the transaction was opened. */
export type OnCommitted = (committed: Decision, before?: Transaction) => void

/**
 * The transactions, as use cases see them. A write stores state and events together. It resolves when the events have been written to the
 * broker's connection or, while the broker is away, when the relay knows of them. How writes and reads share commands is not visible here.
 */
export interface Transactions extends Pick<TransactionStore, 'find' | 'findMissing' | 'save' | 'claimDue' | 'claimDueRefunds'> {
  /**
   * Opens a transaction from its order's event. Resolves to the stored transaction, also when it was open already; to `undefined`
   * when another transaction has its order id, which happens only after a database was restored from a backup. Throws when the insert was refused
   * and the reason cannot be read; a retry may succeed.
   */
  open(opening: Decision): Promise<Transaction | undefined>
  /** The same for an order that a caller asks for, as its event has not arrived. */
  openForCaller(opening: Decision): Promise<Transaction | undefined>
  /** Like `find`, but waits a moment for the order's event, since fetching the order costs several times as much. */
  findSoon(id: string): Promise<Transaction | undefined>
  /** The same by the merchant's own order id. */
  findSoonByOrder(merchantId: string, orderId: string): Promise<Transaction | undefined>
  /**
   * Changes a transaction without reading it, from the copy that this replica wrote last. False when there is no such copy, or it
   * would not change, or another replica has written since: the caller then reads and changes the stored transaction.
   */
  changeRecent(id: string, decide: (copy: Transaction) => Decision): Promise<boolean>
}

export function createTransactions(store: TransactionStore, onCommitted: OnCommitted, now: () => Date): Transactions {
  const recent = createRecentTransactions(() => store.flushInserts())

  async function open(opening: Decision, immediate: boolean): Promise<Transaction | undefined> {
    const { transaction } = opening
    const insert = (isAwaited: boolean) => store.insert(opening, { immediate: immediate || isAwaited })
    if (!(await recent.during(transaction, insert))) return findInPlaceOf(transaction)
    onCommitted(opening)
    await untilWritten()
    return transaction
  }

  /** What kept a transaction from being inserted: itself, or another one with its order id. */
  async function findInPlaceOf({ id, order }: Transaction): Promise<Transaction | undefined> {
    const stored = (await store.find(id)) ?? (await store.findByOrder(order.merchant.id, order.order_id))
    // Without proof the event must be tried again: a dead-lettered message does not come back.
    if (!stored) throw new Fault(`transaction ${id} is refused as a duplicate and cannot be found`)
    return stored.id === id ? stored : undefined
  }

  async function findOrWait(key: string, find: () => Promise<Transaction | undefined>): Promise<Transaction | undefined> {
    return (await find()) ?? (await recent.waitFor(key)) ?? find()
  }

  /**
   * By its id. Of an order that was just made there is nothing to read yet: to wait first saves the read. A reference that the gateway did
   * not make is not waited for.
   */
  async function findSoon(id: string): Promise<Transaction | undefined> {
    if (slotOf(id) === undefined) return undefined
    if (!isJustMade(id, now())) return findOrWait(id, () => store.find(id))
    return (await recent.waitFor(id)) ?? store.find(id)
  }

  async function save(before: Transaction, decision: Decision): Promise<boolean> {
    // Also when the save fails: then another replica has changed the transaction.
    recent.forget(before)
    if (!(await store.save(before, decision))) return false
    recent.remember(decision.transaction)
    onCommitted(decision, before)
    await untilWritten()
    return true
  }

  return {
    ...store,
    open: (opening) => open(opening, false),
    openForCaller: (opening) => open(opening, true),
    findSoon,
    findSoonByOrder: (merchantId, orderId) =>
      findOrWait(orderKey(merchantId, orderId), () => store.findByOrder(merchantId, orderId)),
    async changeRecent(id, decide) {
      const copy = recent.get(id)
      if (!copy) return false
      const decision = decide(copy)
      return decision.changed && save(copy, decision)
    },
    save,
  }
}

/** True for the id of an order whose event is most likely still under way. */
function isJustMade(id: string, now: Date): boolean {
  const idAt = (offsetMs: number): string => firstTransactionIdAt(new Date(now.getTime() + offsetMs))
  // A clock of order-api that is further ahead makes ids look new for longer than they are.
  return id >= idAt(-MAX_WAIT_MS) && id < idAt(MAX_WAIT_MS)
}
