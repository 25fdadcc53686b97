import { entryKey, type Entry } from '../domain/entry.ts'
import type { Entries } from '../persistence/entries.ts'
import type { Settlements } from '../persistence/settlements.ts'
import type { SettleLines } from './settle-lines.ts'

/** Stores entries unless newer copies are stored, and compares those that have a line with it. Safe to repeat. */
export type StoreEntries = (entries: readonly Entry[]) => Promise<void>

export interface StoreEntriesParts {
  readonly entries: Pick<Entries, 'storeAll'>
  readonly settlements: Pick<Settlements, 'findKept' | 'markStale'>
  readonly settleLines: Pick<SettleLines, 'again'>
}

export function makeStoreEntries({ entries, settlements, settleLines }: StoreEntriesParts): StoreEntries {
  return async (all) => {
    if (all.length === 0) return
    // First the entries, then the lines; an import does the reverse, so one of the two sees both.
    await entries.storeAll(all)
    const lines = await settlements.findKept(all.map(entryKey))
    if (lines.length > 0) await settlements.markStale(await settleLines.again(lines))
  }
}
