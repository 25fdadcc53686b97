import { addDays, ENTRY_KINDS, istDayStart } from '@gateway/contracts'
import { differenceId, missingAtBank } from '../domain/difference.ts'
import { entryKey } from '../domain/entry.ts'
import { lastDueDay, type SettlementRules } from '../domain/settlement-rules.ts'
import type { Stores } from '../persistence/stores.ts'

/** Entries read and marked at once. */
const CHUNK = 500

export type FindMissing = ReturnType<typeof makeFindMissing>

/** Finds the entries that the bank should have settled and has not. */
export function makeFindMissing({ entries, differences, files }: Stores, rules: SettlementRules, now: () => Date) {
  const since = istDayStart(rules.since ?? '') ?? new Date(0)

  /** Marks entries as missing. Closes the differences of those that were settled since they were read. */
  async function mark(keys: readonly string[], file: string): Promise<void> {
    await entries.mark('missing', keys, file)
    for (const settled of await entries.marked('settlement', keys))
      await differences.close([differenceId(file, 'missing_at_bank', settled.key)], settled.file, now())
  }

  /**
   * Stores a difference `missing_at_bank` for each entry that the bank should have settled by `settledUntil` and has not. Safe to
   * repeat.
   *
   * @param file the file that was imported just now, and that should have had the lines
   * @param settledUntil the latest day in the file: at most the day after its upload, since a line with a later one is unreadable
   */
  async function ofFile(file: string, settledUntil: string): Promise<void> {
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

  return {
    ofFile,
    /**
     * The same for the files that were imported while another file failed. Does nothing while a file still fails, since that file
     * may have their lines. Safe to repeat.
     */
    async owed(): Promise<void> {
      const owing = await files.owing()
      if (owing.length === 0 || (await files.countFailing()) > 0) return
      for (const { _id, settled_until } of owing) {
        if (settled_until !== null) await ofFile(_id, settled_until)
        await files.noteNamed(_id, await differences.count(_id))
      }
    },
  }
}
