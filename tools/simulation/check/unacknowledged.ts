import type { History, StoredChange } from './history.ts'

/** The stored changes whose webhook no receiver has acknowledged. */
export function unacknowledged({ changes, webhooks }: Pick<History, 'changes' | 'webhooks'>): StoredChange[] {
  const acknowledged = new Set(webhooks.filter(({ answered }) => answered === 200).map(({ id }) => id))
  return changes.filter(({ transaction, sequence }) => !acknowledged.has(`${transaction}.${sequence}`))
}
