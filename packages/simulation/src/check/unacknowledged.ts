import type { History, StoredChange } from './history.ts'

/** The webhooks of refunds that no receiver has acknowledged, by id: each refund has one for each number of its sequence. */
export function unacknowledgedRefunds({ refunds, refundWebhooks }: Pick<History, 'refunds' | 'refundWebhooks'>): string[] {
  const acknowledged = new Set(refundWebhooks.filter(({ answered }) => answered === 200).map(({ id }) => id))
  const wanted = refunds.flatMap(({ id, sequence }) => Array.from({ length: sequence }, (_, index) => `${id}.${index + 1}`))
  return wanted.filter((id) => !acknowledged.has(id))
}

/** The stored changes whose webhook no receiver has acknowledged. */
export function unacknowledged({ changes, webhooks }: Pick<History, 'changes' | 'webhooks'>): StoredChange[] {
  const acknowledged = new Set(webhooks.filter(({ answered }) => answered === 200).map(({ id }) => id))
  return changes.filter(({ transaction, sequence }) => !acknowledged.has(`${transaction}.${sequence}`))
}
