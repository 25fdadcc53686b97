import type { Differences } from '../persistence/differences.ts'
import type { SettlementFiles } from '../persistence/settlement-files.ts'
import type { FindMissing } from './find-missing.ts'

/**
 * Reports the missing entries of files that were imported while another file failed. Does nothing while a file still fails, since
 * that file may have their lines. Safe to repeat.
 */
export type NameOwedMissing = () => Promise<void>

export function makeNameOwedMissing({
  files,
  differences,
  findMissing,
}: {
  files: Pick<SettlementFiles, 'countFailing' | 'owing' | 'noteNamed'>
  differences: Pick<Differences, 'count'>
  findMissing: FindMissing
}): NameOwedMissing {
  return async () => {
    const owing = await files.owing()
    if (owing.length === 0 || (await files.countFailing()) > 0) return
    for (const { _id, settled_until } of owing) {
      if (settled_until !== null) await findMissing(_id, settled_until)
      await files.noteNamed(_id, await differences.count(_id))
    }
  }
}
