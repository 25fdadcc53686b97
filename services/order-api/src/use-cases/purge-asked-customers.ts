import type { Customers, PurgeStep } from '../persistence/customers.ts'

/** What an operator has asked to be forgotten now, whatever its age. */
export interface PurgeAskedCustomers {
  /** `unknown` when this merchant has no such order. Again is safe. */
  order(merchantId: string, orderId: string): Promise<'purged' | 'purged before' | 'unknown'>
  /** All orders of a merchant that were created before an instant; counts them. */
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
