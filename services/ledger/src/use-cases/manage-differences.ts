import { Refused } from '@gateway/contracts'
import type { Differences, DifferencesQuery } from '../persistence/differences.ts'
import type { SettlementFiles } from '../persistence/settlement-files.ts'
import type { DifferenceDocument, FileDocument } from '../persistence/settlement-model.ts'

/** What operators can do with settlement files and their differences. */
export interface ManageDifferences {
  /** Throws `settlement_file_not_found`. */
  file(id: string): Promise<FileDocument>
  /** Throws `settlement_file_not_found`. */
  list(query: DifferencesQuery): Promise<{ differences: DifferenceDocument[]; next: string | undefined }>
  /** The same resolution again changes nothing. Throws `difference_not_found` and `difference_not_open`. */
  resolve(id: string, resolution: { by: string; note: string }): Promise<DifferenceDocument>
}

export function makeManageDifferences({
  files,
  differences,
  now,
}: {
  files: Pick<SettlementFiles, 'find'>
  differences: Pick<Differences, 'page' | 'find' | 'resolve'>
  now: () => Date
}): ManageDifferences {
  const file = async (id: string): Promise<FileDocument> => {
    const found = await files.find(id)
    if (!found) throw new Refused('settlement_file_not_found', 'There is no such settlement file')
    return found
  }
  return {
    file,
    async list(query) {
      await file(query.file)
      const found = await differences.page({ ...query, limit: query.limit + 1 })
      const page = found.slice(0, query.limit)
      return { differences: page, next: found.length > query.limit ? page.at(-1)?._id : undefined }
    },
    async resolve(id, { by, note }) {
      const isDone = await differences.resolve(id, { by, note, now: now() })
      const found = await differences.find(id)
      if (!found) throw new Refused('difference_not_found', 'There is no such difference')
      if (isDone || (found.status === 'resolved' && found.resolved_by === by && found.note === note)) return found
      throw new Refused('difference_not_open', `This difference is already ${found.status}`)
    },
  }
}
