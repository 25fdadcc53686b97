import { Refused } from '@gateway/contracts'
import { lineKey } from '../domain/entry.ts'
import type { Entries } from '../persistence/entries.ts'
import type { Differences, DifferencesQuery } from '../persistence/differences.ts'
import type { FilePosition, SettlementFiles } from '../persistence/settlement-files.ts'
import type { DifferenceDocument, FileDocument } from '../persistence/documents.ts'

/** A difference with the order that it is about. */
export interface KnownDifference {
  readonly difference: DifferenceDocument
  /** `null` while the ledger has no entry with its kind and reference. */
  readonly orderId: string | null
}

/** What operators can do with settlement files and their differences. */
export interface ManageDifferences {
  /** The settlement files, newest first. */
  files(before: FilePosition | undefined, limit: number): Promise<{ files: FileDocument[]; next: FilePosition | undefined }>
  /** Throws `settlement_file_not_found`. */
  file(id: string): Promise<FileDocument>
  /** Throws `settlement_file_not_found`. */
  list(query: DifferencesQuery): Promise<{ differences: KnownDifference[]; next: string | undefined }>
  /** The same resolution again changes nothing. Throws `difference_not_found` and `difference_not_open`. */
  resolve(id: string, resolution: { by: string; note: string }): Promise<KnownDifference>
}

export function makeManageDifferences({
  files,
  differences,
  entries,
  now,
}: {
  files: Pick<SettlementFiles, 'find' | 'page'>
  entries: Pick<Entries, 'find'>
  differences: Pick<Differences, 'page' | 'find' | 'resolve'>
  now: () => Date
}): ManageDifferences {
  const file = async (id: string): Promise<FileDocument> => {
    const found = await files.find(id)
    if (!found) throw new Refused('settlement_file_not_found', 'There is no such settlement file')
    return found
  }
  /** One read for all of them. The entry is not stored with the difference, since it may come later. */
  async function withOrders(found: readonly DifferenceDocument[]): Promise<KnownDifference[]> {
    const known = await entries.find(found.flatMap((one) => keyOf(one) ?? []))
    return found.map((difference) => ({ difference, orderId: known.get(keyOf(difference) ?? '')?.order_id ?? null }))
  }

  return {
    async files(before, limit) {
      const found = await files.page(before, limit + 1)
      const page = found.slice(0, limit)
      const last = found.length > limit ? page.at(-1) : undefined
      return { files: page, next: last && { receivedAt: last.received_at, id: last._id } }
    },
    file,
    async list(query) {
      await file(query.file)
      const found = await differences.page({ ...query, limit: query.limit + 1 })
      const page = found.slice(0, query.limit)
      return { differences: await withOrders(page), next: found.length > query.limit ? page.at(-1)?._id : undefined }
    },
    async resolve(id, { by, note }) {
      const isDone = await differences.resolve(id, { by, note, now: now() })
      const found = await differences.find(id)
      if (!found) throw new Refused('difference_not_found', 'There is no such difference')
      const isRepeated = found.status === 'resolved' && found.resolved_by === by && found.note === note
      if (!isDone && !isRepeated) throw new Refused('difference_not_open', `This difference is already ${found.status}`)
      const [known = { difference: found, orderId: null }] = await withOrders([found])
      return known
    },
  }
}

/** The key of the entry that a difference is about; `undefined` for an unreadable line. */
function keyOf({ kind, reference }: DifferenceDocument): string | undefined {
  return kind && reference ? lineKey({ kind, reference }) : undefined
}
