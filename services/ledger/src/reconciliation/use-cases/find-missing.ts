import { addDays, ENTRY_KINDS, istDayStart } from '@gateway/contracts'
import { differenceId, missingAtBank } from '../domain/difference.ts'
import { entryKey } from '../domain/entry.ts'
import type { Entries } from '../persistence/entries.ts'
import { lastDueDay, type SettlementRules } from '../domain/settlement-rules.ts'
import type { Differences } from '../persistence/differences.ts'

/**
 * Stores a difference `missing_at_bank` for each entry that the bank should have settled by `settledUntil` and has not. Safe to
 * repeat.
 *
 * @param file the file that was imported just now, and that should have had the lines
 * @param settledUntil the latest day in the file: at most the day after its upload, since a line with a later one is unreadable
 */
export type FindMissing = (file: string, settledUntil: string) => Promise<void>

/** Entries read and marked at once. */
const CHUNK = 500

export function makeFindMissing({
  entries,
  differences,
  rules,
  now,
}: {
  entries: Pick<Entries, 'waiting' | 'markMissing' | 'findSettled'>
  differences: Pick<Differences, 'add' | 'close'>
  rules: SettlementRules
  now: () => Date
}): FindMissing {
  const since = istDayStart(rules.since ?? '') ?? new Date(0)

  /** Marks entries as missing. Closes the differences of those that were settled since they were read. */
  async function mark(keys: readonly string[], file: string): Promise<void> {
    await entries.markMissing(keys, file)
    for (const settled of await entries.findSettled(keys))
      await differences.close([differenceId(file, 'missing_at_bank', settled.key)], settled.file, now())
  }

  return async (file, settledUntil) => {
    for (const kind of ENTRY_KINDS) {
      const before = istDayStart(addDays(lastDueDay(kind, settledUntil, rules), 1)) ?? new Date(0)
      for (let isLast = false; !isLast;) {
        const waiting = await entries.waiting(kind, { since, before }, CHUNK)
        // Store the differences before the marks: after a crash in between, the next run still finds the entries.
        await differences.add(
          waiting.map((entry) => missingAtBank(file, entry)),
          now(),
        )
        if (waiting.length > 0) await mark(waiting.map(entryKey), file)
        isLast = waiting.length < CHUNK
      }
    }
  }
}
