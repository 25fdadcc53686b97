/** What clients and merchants miss in the end, although the gateway had acknowledged it. */
import { Gateway } from '@gateway/sdk'
import type { History, StoredChange } from '@gateway/simulation/check/history'
import { eventually } from '@gateway/testkit'
import type { MerchantCredentials } from '@gateway/testkit/merchants'

const LISTED_WITHIN_MS = 60_000

/**
 * Acknowledged orders that the last search does not show as they were acknowledged: it fails, it shows another transaction, or the
 * payment of a shopper whose bank took the money is not `Success`.
 */
export function lostOrders({ operations }: Pick<History, 'operations'>): string[] {
  return [...Map.groupBy(operations, ({ action }) => action.order)].flatMap(([order, own]) => {
    const created = own.find(({ action, type }) => action.f === 'create' && type === 'ok')
    if (!created) return []
    const last = own.findLast(({ action }) => action.f === 'search')
    const isShown = last?.type === 'ok' && last.learnt.transaction === created.learnt.transaction
    const isPaid = own.some(({ action, type }) => action.f === 'pay' && type === 'ok' && action.vpa.startsWith('success'))
    return isShown && (!isPaid || last.learnt.status === 'Success') ? [] : [order]
  })
}

/** Waits until the merchants' lists, which the ledger answers, show the latest change of each payment. Resolves to what they miss. */
export async function missingInLists(
  baseUrl: string,
  merchants: readonly MerchantCredentials[],
  changes: readonly StoredChange[],
): Promise<string[]> {
  const latest = new Map<string, number>()
  for (const { transaction, sequence } of changes) latest.set(transaction, Math.max(sequence, latest.get(transaction) ?? 0))
  let missing: string[] = []
  const look = async (): Promise<void> => {
    const listed = new Map<string, number>()
    for (const credentials of merchants)
      for await (const { transaction_id, sequence } of new Gateway({ baseUrl, credentials }).orders.list({ limit: 100 }))
        listed.set(transaction_id, sequence)
    missing = [...latest].filter(([id, sequence]) => listed.get(id) !== sequence).map(([id]) => id)
    if (missing.length > 0) throw new Error(`${missing.length} are missing`)
  }
  await eventually(look, { deadlineMs: LISTED_WITHIN_MS, pauseMs: 1000 }).catch(() => undefined)
  return missing
}
