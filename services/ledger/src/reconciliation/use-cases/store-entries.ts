import { captureLineKeys, lineKey, type Entry } from '../domain/entry.ts'
import type { Entries } from '../persistence/entries.ts'
import type { Settlements } from '../persistence/settlements.ts'
import type { SettleLines } from './settle-lines.ts'

/** Stores entries unless newer copies are stored, and compares those that have a line with it. Safe to repeat. */
export type StoreEntries = (entries: readonly Entry[]) => Promise<void>

/** Called with transactions to which the network gave the same reference. */
export type OnCollision = (transactionIds: readonly string[]) => void

export interface StoreEntriesParts {
  readonly entries: Pick<Entries, 'storeAll' | 'transactionsOf'>
  readonly settlements: Pick<Settlements, 'findKept' | 'markStale'>
  readonly settleLines: Pick<SettleLines, 'again'>
  readonly onCollision: OnCollision
}

/** Entries in one command: a payment may have thousands. */
const AT_ONCE = 1000

export function makeStoreEntries({ entries, settlements, settleLines, onCollision }: StoreEntriesParts): StoreEntries {
  async function store(some: readonly Entry[]): Promise<void> {
    // First the entries, then the lines; an import does the reverse, so one of the two sees both.
    await entries.storeAll(some)
    const lines = await settlements.findKept(some.map(lineKey))
    if (lines.length > 0) await settlements.markStale(await settleLines.again(lines))
    await findCollisions(some)
  }

  /** Money under one reference belongs to one transaction: a collision is a fault of the connector that a person must see. */
  async function findCollisions(some: readonly Entry[]): Promise<void> {
    const captures = some.filter(({ kind }) => kind === 'capture' || kind === 'unwanted_capture')
    if (captures.length === 0) return
    const all = await entries.transactionsOf(captures.flatMap(({ reference }) => captureLineKeys(reference)))
    const byLine = Map.groupBy(all, (one) => one.lineKey)
    for (const { reference } of captures) {
      const same = captureLineKeys(reference).flatMap((key) => byLine.get(key) ?? [])
      const transactions = new Set(same.map(({ transactionId }) => transactionId))
      if (transactions.size > 1) onCollision([...transactions])
    }
  }

  return async (all) => {
    for (let first = 0; first < all.length; first += AT_ONCE) await store(all.slice(first, first + AT_ONCE))
  }
}
