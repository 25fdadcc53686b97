import { eventually } from '@gateway/testkit'
import type { MerchantSite } from '@gateway-tools/e2e/support/merchant-site'
import type { Load } from './load.ts'

const COMPLETE_WITHIN_MS = 120_000

/** Throws unless every acknowledged order is paid, and its merchant got a correct, signed webhook for each status change. */
export async function expectNothingLost(site: MerchantSite, { acknowledged }: Load): Promise<void> {
  const options = { deadlineMs: COMPLETE_WITHIN_MS, pauseMs: 250 }
  for (const [orderId, transactionId] of acknowledged) {
    await eventually(async () => {
      const { transaction } = await site.merchant.search(orderId)
      expect({ id: transaction.id, status: transaction.status, sequence: transaction.sequence }).toEqual({
        id: transactionId,
        status: 'Success',
        sequence: 2,
      })
    }, options)
    await eventually(() => {
      const attempts = site.attemptsFor(orderId)
      const received = [
        ...new Set(attempts.map(({ sequence, payload }) => `${sequence} ${payload.status} ${payload.txnid}`)),
      ].sort()
      expect(received).toEqual([`1 Initiate ${transactionId}`, `2 Success ${transactionId}`])
      expect(attempts.every(({ isAuthentic }) => isAuthentic)).toBe(true)
    }, options)
  }
}
