import { addDays, ENTRY_KINDS, istDay, istDayStart } from '@gateway/contracts'
import { differenceId, missingAtBank } from '../domain/difference.ts'
import { entryKey } from '../domain/entry.ts'
import { lastDueDay, type SettlementRules } from '../domain/settlement-rules.ts'
import type { Differences } from '../persistence/differences.ts'
import type { Entries } from '../persistence/entries.ts'

/**
 * Reports the entries that are missing at the bank, at the end of a file's import: the bank should have settled them by
 * `settledUntil`, the latest day in the file, or by today if that day is in the future. Safe to repeat.
 */
export type FindMissing = (file: string, settledUntil: string) => Promise<void>

const CHUNK = 500

export function makeFindMissing({
  entries,
  differences,
  rules,
  now,
}: {
  entries: Pick<Entries, 'waiting' | 'markMissing' | 'find'>
  differences: Pick<Differences, 'add' | 'close'>
  rules: SettlementRules
  now: () => Date
}): FindMissing {
  const since = istDayStart(rules.since ?? '') ?? new Date(0)

  /** A line that came since the entries were read has settled its entry, which is not missing then. */
  async function mark(keys: readonly string[], file: string): Promise<void> {
    await entries.markMissing(keys, file)
    const found = await entries.find(keys)
    for (const [key, { settlement }] of found)
      if (typeof settlement === 'string') await differences.close([differenceId(file, 'missing_at_bank', key)], settlement, now())
  }

  return async (file, settledUntil) => {
    const today = istDay(now())
    const asOf = settledUntil < today ? settledUntil : today
    for (const kind of ENTRY_KINDS) {
      const before = istDayStart(addDays(lastDueDay(kind, asOf, rules), 1)) ?? new Date(0)
      for (let isLast = false; !isLast;) {
        const some = await entries.waiting(kind, { since, before }, CHUNK)
        // First the differences: after a crash here, the entries are found again.
        await differences.add(
          some.map((entry) => missingAtBank(file, entry)),
          now(),
        )
        if (some.length > 0) await mark(some.map(entryKey), file)
        isLast = some.length < CHUNK
      }
    }
  }
}
