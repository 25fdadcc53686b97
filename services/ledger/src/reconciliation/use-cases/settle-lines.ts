import { compareLines, differenceId, type KeptLine } from '../domain/difference.ts'
import { entryKey, lineKey } from '../domain/entry.ts'
import type { Entries } from '../persistence/entries.ts'
import type { Differences } from '../persistence/differences.ts'
import { settlementOf, type NewSettlement, type Settlements } from '../persistence/settlements.ts'

/**
 * Compares lines of settlement files with their entries. Marks the entries as settled, stores and closes differences, and adds the
 * lines to the settlements of their merchants. Safe to repeat.
 */
export interface SettleLines {
  /** Compares lines that an import has stored just now. Resolves to the settlements that got lines. */
  readonly fresh: (lines: readonly KeptLine[]) => Promise<NewSettlement[]>
  /** Compares lines again whose entries are new or have changed. Also closes the differences that no longer exist. */
  readonly again: (lines: readonly KeptLine[]) => Promise<NewSettlement[]>
}

export interface SettleParts {
  readonly entries: Pick<Entries, 'find' | 'settle' | 'findMissing' | 'forgetMissing'>
  readonly settlements: Pick<Settlements, 'show'>
  readonly differences: Pick<Differences, 'add' | 'close'>
  readonly now: () => Date
}

export function makeSettleLines({ entries, settlements, differences, now }: SettleParts): SettleLines {
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
      await entries.settle(keys, file)
      await closeMissing(keys, file)
    }
    const touched = [...new Map(settled.map(settlementOf).map((one) => [one._id, one])).values()]
    // The event of an entry that came or changed meanwhile has not seen these lines and differences: compare again.
    const changed = await changedSince(seen, isAgain ? lines : differing)
    return changed.length === 0 ? touched : [...touched, ...(await settle(changed, true))]
  }

  /** Closes the differences `missing_at_bank` of settled entries. Call it after `settle`, since no import marks them from then on. */
  async function closeMissing(keys: readonly string[], file: string): Promise<void> {
    const missing = await entries.findMissing(keys)
    if (missing.length === 0) return
    // Close the differences before the marks are removed: after a crash in between, the marks still name them.
    const ids = missing.map(({ key, file: missingIn }) => differenceId(missingIn, 'missing_at_bank', key))
    await differences.close(ids, file, now())
    await entries.forgetMissing(missing.map(({ key }) => key))
  }

  /** The lines whose entries are new, or have another version than when they were read. */
  async function changedSince(seen: Awaited<ReturnType<Entries['find']>>, lines: readonly KeptLine[]): Promise<KeptLine[]> {
    if (lines.length === 0) return []
    const found = await find(lines)
    return lines.filter((line) => found.get(lineKey(line))?.version !== seen.get(lineKey(line))?.version)
  }

  return { fresh: (lines) => settle(lines, false), again: (lines) => settle(lines, true) }
}
