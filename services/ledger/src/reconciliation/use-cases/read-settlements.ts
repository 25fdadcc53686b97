import { Refused } from '@gateway/contracts'
import type { MerchantLineDocument, SettlementDocument } from '../persistence/documents.ts'
import type { SettlementRange, Settlements } from '../persistence/settlements.ts'

/** A page of documents. `next` is the position of the next page; `undefined` on the last one. */
export interface DocumentPage<Document> {
  readonly found: readonly Document[]
  readonly next: string | undefined
}

export interface ReadSettlements {
  /** Newest first. */
  list(merchantId: string, range: SettlementRange, limit: number): Promise<DocumentPage<SettlementDocument>>
  /** Throws `settlement_not_found`, also when only other merchants have a settlement with this id. */
  lines(
    merchantId: string,
    settlementId: string,
    after: string | undefined,
    limit: number,
  ): Promise<DocumentPage<MerchantLineDocument>>
}

export function makeReadSettlements(settlements: Pick<Settlements, 'page' | 'find' | 'linesOf'>): ReadSettlements {
  return {
    async list(merchantId, range, limit) {
      return pageOf(await settlements.page(merchantId, range, limit + 1), limit)
    },
    async lines(merchantId, settlementId, after, limit) {
      const same = await settlements.find(merchantId, settlementId)
      if (same.length === 0) throw new Refused('settlement_not_found', 'There is no such settlement')
      const found: MerchantLineDocument[] = []
      for (const { _id } of same) {
        const start = `${_id}:`
        if (after !== undefined && after >= `${start}~`) continue
        const position = after !== undefined && after > start ? after : undefined
        found.push(...(await settlements.linesOf(_id, position, limit + 1 - found.length)))
        if (found.length > limit) break
      }
      return pageOf(found, limit)
    },
  }
}

function pageOf<Document extends { readonly _id: string }>(all: readonly Document[], limit: number): DocumentPage<Document> {
  const found = all.slice(0, limit)
  return { found, next: all.length > limit ? found.at(-1)?._id : undefined }
}
