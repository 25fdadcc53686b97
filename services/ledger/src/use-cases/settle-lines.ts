import { compareLines, differenceId, type KeptLine } from '../domain/difference.ts'
import { entryKey } from '../domain/entry.ts'
import type { Differences } from '../persistence/differences.ts'
import { toEntry } from '../persistence/entry-model.ts'
import type { Entries } from '../persistence/entries.ts'
import { settlementOf, type NewSettlement, type Settlements } from '../persistence/settlements.ts'

/** Compares kept lines with their entries and stores what follows. Safe to repeat. */
export interface SettleLines {
  /** For lines that were kept just now. Resolves to the settlements that got lines. */
  readonly fresh: (lines: readonly KeptLine[]) => Promise<NewSettlement[]>
  /** For lines whose entries have come or changed: also closes differences that are over. */
  readonly again: (lines: readonly KeptLine[]) => Promise<NewSettlement[]>
}

export interface SettleParts {
  readonly entries: Pick<Entries, 'find' | 'settle' | 'findMissing' | 'forgetMissing'>
  readonly settlements: Pick<Settlements, 'show'>
  readonly differences: Pick<Differences, 'add' | 'close'>
  readonly now: () => Date
}

export function makeSettleLines({ entries, settlements, differences, now }: SettleParts): SettleLines {
  async function settle(lines: readonly KeptLine[], isAgain: boolean): Promise<NewSettlement[]> {
    const seen = await entries.find(lines.map(entryKey))
    const known = new Map([...seen].map(([key, document]) => [key, toEntry(document)]))
    const { settled, differences: named, differing, over } = compareLines(lines, known)
    await differences.add(named, now())
    if (isAgain) await differences.close(over, 'late entry', now())
    await settlements.show(settled)
    for (const [file, ofFile] of Map.groupBy(settled, ({ line }) => line.file)) {
      const keys = ofFile.map(({ line }) => entryKey(line))
      await entries.settle(keys, file)
      await closeMissing(keys, file)
    }
    const touched = [...new Map(settled.map(settlementOf).map((one) => [one._id, one])).values()]
    // An entry that came or changed since it was read has not seen what was stored here.
    const changed = await changedSince(seen, isAgain ? lines : differing)
    return changed.length === 0 ? touched : [...touched, ...(await settle(changed, true))]
  }

  /** After the entries are settled: from then on none of them is marked as missing. */
  async function closeMissing(keys: readonly string[], file: string): Promise<void> {
    const missing = await entries.findMissing(keys)
    if (missing.length === 0) return
    // First the differences: after a crash here, the entries still tell which ones.
    const ids = missing.map(({ key, file: missingIn }) => differenceId(missingIn, 'missing_at_bank', key))
    await differences.close(ids, file, now())
    await entries.forgetMissing(missing.map(({ key }) => key))
  }

  async function changedSince(seen: Awaited<ReturnType<Entries['find']>>, lines: readonly KeptLine[]): Promise<KeptLine[]> {
    if (lines.length === 0) return []
    const found = await entries.find(lines.map(entryKey))
    return lines.filter((line) => found.get(entryKey(line))?.version !== seen.get(entryKey(line))?.version)
  }

  return { fresh: (lines) => settle(lines, false), again: (lines) => settle(lines, true) }
}
