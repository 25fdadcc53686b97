import { compareLines, differenceId, type KeptLine } from '../domain/difference.ts'
import { entryKey } from '../domain/entry.ts'
import type { Differences } from '../persistence/differences.ts'
import { toEntry } from '../persistence/entry-model.ts'
import type { Entries } from '../persistence/entries.ts'
import { settlementOf, type NewSettlement, type Settlements } from '../persistence/settlements.ts'

/** Compares kept lines with their entries and stores what follows. Resolves to the settlements that got lines. Safe to repeat. */
export type SettleLines = (lines: readonly KeptLine[]) => Promise<NewSettlement[]>

export interface SettleParts {
  readonly entries: Pick<Entries, 'find' | 'settle'>
  readonly settlements: Pick<Settlements, 'show'>
  readonly differences: Pick<Differences, 'add' | 'close'>
  readonly now: () => Date
}

export function makeSettleLines({ entries, settlements, differences, now }: SettleParts): SettleLines {
  async function settle(lines: readonly KeptLine[]): Promise<NewSettlement[]> {
    const found = await entries.find(lines.map(entryKey))
    const known = new Map([...found].map(([key, document]) => [key, toEntry(document)]))
    const { settled, unmatched, differences: named } = compareLines(lines, known)
    await differences.add(named, now())
    await settlements.show(settled)
    for (const [file, ofFile] of Map.groupBy(settled, ({ line }) => line.file)) {
      const keys = ofFile.map(({ entry }) => entryKey(entry))
      const missing = keys.flatMap((key) => {
        const missingIn = found.get(key)?.missing
        return typeof missingIn === 'string' ? [differenceId(missingIn, 'missing_at_bank', key)] : []
      })
      // First the differences: after a crash here, the entries still tell which ones.
      await differences.close(missing, file, now())
      await entries.settle(keys, file)
    }
    const touched = [...new Map(settled.map(settlementOf).map((one) => [one._id, one])).values()]
    return unmatched.length === 0 ? touched : [...touched, ...(await settleLate(unmatched))]
  }

  /** An entry may have been stored after it was looked for and before its difference was. */
  async function settleLate(unmatched: readonly KeptLine[]): Promise<NewSettlement[]> {
    const found = await entries.find(unmatched.map(entryKey))
    const late = unmatched.filter((line) => found.has(entryKey(line)))
    if (late.length === 0) return []
    const touched = await settle(late)
    await closeMissingAtUs(differences, late, now())
    return touched
  }

  return settle
}

/** Lines whose entries have come after them. */
export async function closeMissingAtUs(
  differences: Pick<Differences, 'close'>,
  lines: readonly KeptLine[],
  now: Date,
): Promise<void> {
  const ids = lines.map((line) => differenceId(line.file, 'missing_at_us', entryKey(line)))
  await differences.close(ids, 'late entry', now)
}
