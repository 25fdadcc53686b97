import type { Customers, PurgeStep } from '../persistence/customers.ts'

/** Purges customers at an operator's request, regardless of the order's age. Safe to repeat. */
export interface PurgeAskedCustomers {
  /** Purges one order; `unknown` when this merchant has no such order. */
  order(merchantId: string, orderId: string): Promise<'purged' | 'purged before' | 'unknown'>
  /** Purges all orders of a merchant that were created before an instant, page by page; resolves to their number. */
  merchant(merchantId: string, before: Date, onProgress: (purged: number) => void): Promise<number>
}

const PAGE_SIZE = 500

export function makePurgeAskedCustomers({ customers, now }: { customers: Customers; now: () => Date }): PurgeAskedCustomers {
  return {
    async order(merchantId, orderId) {
      const step: PurgeStep | undefined = await customers.purgeOrder(merchantId, orderId, now())
      if (!step) return 'unknown'
      return step.purged === 1 ? 'purged' : 'purged before'
    },

    async merchant(merchantId, before, onProgress) {
      let [purged, after] = [0, undefined as string | undefined]
      do {
        const step = await customers.purgeMerchant(merchantId, { after, limit: PAGE_SIZE, before }, now())
        purged += step.purged
        after = step.next
        onProgress(purged)
      } while (after !== undefined)
      return purged
    },
  }
}
