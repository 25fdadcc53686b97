import { Refused } from '@gateway/contracts'
import { pageOf } from '../../common/index.ts'
import { lineKey } from '../domain/entry.ts'
import type { DifferenceDocument, DifferencesQuery } from '../persistence/differences.ts'
import type { FileDocument, FilePosition } from '../persistence/settlement-files.ts'
import type { Stores } from '../persistence/stores.ts'

export type { FileDocument }

/** A difference with the order that it is about. */
export interface KnownDifference extends DifferenceDocument {
  /** `null` while the ledger has no entry with its kind and reference. */
  readonly order_id: string | null
}

export type ManageDifferences = ReturnType<typeof makeManageDifferences>

/** What operators can do with settlement files and their differences. */
export function makeManageDifferences({ files, differences, entries }: Stores, now: () => Date) {
  /** Throws `settlement_file_not_found`. */
  async function file(id: string): Promise<FileDocument> {
    const found = await files.find(id)
    if (!found) throw new Refused('settlement_file_not_found', 'There is no such settlement file')
    return found
  }

  /** One read for all of them. The entry is not stored with the difference, since it may come later. */
  async function withOrders(found: readonly DifferenceDocument[]): Promise<KnownDifference[]> {
    const known = await entries.find(found.flatMap((one) => keyOf(one) ?? []))
    return found.map((difference) => ({ ...difference, order_id: known.get(keyOf(difference) ?? '')?.order_id ?? null }))
  }

  return {
    file,
    /** The settlement files, newest first. */
    files: async (before: FilePosition | undefined, limit: number) => pageOf(await files.page(before, limit + 1), limit),
    /** The differences of a file. Throws `settlement_file_not_found`. */
    async list(query: DifferencesQuery) {
      await file(query.file)
      const { found, next } = pageOf(await differences.page({ ...query, limit: query.limit + 1 }), query.limit)
      return { found: await withOrders(found), next }
    },
    /** The same resolution again changes nothing. Throws `difference_not_found` and `difference_not_open`. */
    async resolve(id: string, { by, note }: { by: string; note: string }): Promise<KnownDifference> {
      const isDone = await differences.resolve(id, { by, note, now: now() })
      const found = await differences.find(id)
      if (!found) throw new Refused('difference_not_found', 'There is no such difference')
      const isRepeated = found.status === 'resolved' && found.resolved_by === by && found.note === note
      if (!isDone && !isRepeated) throw new Refused('difference_not_open', `This difference is already ${found.status}`)
      const [known = { ...found, order_id: null }] = await withOrders([found])
      return known
    },
  }
}

/** The key of the entry that a difference is about; `undefined` for an unreadable line. */
function keyOf({ kind, reference }: DifferenceDocument): string | undefined {
  return kind && reference ? lineKey({ kind, reference }) : undefined
}
