import { Refused } from '@gateway/contracts'
import { pageOf } from '../../common/index.ts'
import type { MerchantLineDocument, SettlementDocument, SettlementRange, Settlements } from '../persistence/settlements.ts'

export type { MerchantLineDocument, SettlementDocument }

export type ReadSettlements = ReturnType<typeof makeReadSettlements>

/** What merchants read of their settlements. */
export function makeReadSettlements(settlements: Settlements) {
  return {
    /** Newest first. */
    list: async (merchantId: string, range: SettlementRange, limit: number) =>
      pageOf(await settlements.page(merchantId, range, limit + 1), limit),
    /** Throws `settlement_not_found`, also when only other merchants have a settlement with this id. */
    async lines(merchantId: string, settlementId: string, after: string | undefined, limit: number) {
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
