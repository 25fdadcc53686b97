import { compareLines, differenceId, type KeptLine } from '../domain/difference.ts'
import { captureLineKeys, entryKey, lineKey, type Entry } from '../domain/entry.ts'
import { settlementOf, type NewSettlement } from '../persistence/settlements.ts'
import type { Stores } from '../persistence/stores.ts'

export type SettleLines = ReturnType<typeof makeSettleLines>

/**
 * Compares lines of settlement files with their entries. Marks the entries as settled, stores and closes differences, and adds the
 * lines to the settlements of their merchants. Safe to repeat.
 */
export function makeSettleLines({ entries, settlements, differences }: Omit<Stores, 'files'>, now: () => Date) {
  /** The entries by the keys of the lines. A line may name its transaction. */
  const find = (lines: readonly KeptLine[]) =>
    entries.find(lines.map(lineKey), new Map(lines.flatMap((line) => (line.tr === null ? [] : [[lineKey(line), line.tr]]))))

  async function settle(lines: readonly KeptLine[], isAgain: boolean): Promise<NewSettlement[]> {
    const seen = await find(lines)
    const { settled, differences: found, differing, ended } = compareLines(lines, seen)
    await differences.add(found, now())
    if (isAgain) await differences.close(ended, 'late entry', now())
    await settlements.show(settled)
    for (const [file, ofFile] of Map.groupBy(settled, ({ line }) => line.file)) {
      const keys = ofFile.map(({ entry }) => entryKey(entry))
      await entries.mark('settlement', keys, file)
      await closeMissing(keys, file)
    }
    const touched = [...new Map(settled.map(settlementOf).map((one) => [one._id, one])).values()]
    // The event of an entry that came or changed meanwhile has not seen these lines and differences: compare again.
    const changed = await changedSince(seen, isAgain ? lines : differing)
    return changed.length === 0 ? touched : [...touched, ...(await settle(changed, true))]
  }

  /** Closes the differences `missing_at_bank` of settled entries. Call it after they are marked, since no import marks them from then on. */
  async function closeMissing(keys: readonly string[], file: string): Promise<void> {
    const missing = await entries.marked('missing', keys)
    if (missing.length === 0) return
    // Close the differences before the marks are removed: after a crash in between, the marks still name them.
    const ids = missing.map(({ key, file: missingIn }) => differenceId(missingIn, 'missing_at_bank', key))
    await differences.close(ids, file, now())
    await entries.forgetMissing(missing.map(({ key }) => key))
  }

  /** The lines whose entries are new, or have another version than when they were read. */
  async function changedSince(seen: Awaited<ReturnType<typeof find>>, lines: readonly KeptLine[]): Promise<KeptLine[]> {
    if (lines.length === 0) return []
    const found = await find(lines)
    return lines.filter((line) => found.get(lineKey(line))?.version !== seen.get(lineKey(line))?.version)
  }

  return {
    /** Compares lines that an import has stored just now. Resolves to the settlements that got lines. */
    fresh: (lines: readonly KeptLine[]) => settle(lines, false),
    /** Compares lines again whose entries are new or have changed. Also closes the differences that no longer exist. */
    again: (lines: readonly KeptLine[]) => settle(lines, true),
  }
}

/** Stores entries unless newer copies are stored, and compares those that have a line with it. Safe to repeat. */
export type StoreEntries = (entries: readonly Entry[]) => Promise<void>

/** Called with transactions to which the network gave the same reference. */
export type OnCollision = (transactionIds: readonly string[]) => void

/** Entries in one command: a payment may have thousands. */
const AT_ONCE = 1000

export function makeStoreEntries(
  { entries, settlements }: Omit<Stores, 'files'>,
  settleLines: SettleLines,
  onCollision: OnCollision,
): StoreEntries {
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
