import type { Message } from '../rabbit/message.ts'
import type { Committed } from './committed.ts'
import type { DelayedMessages } from './delayed-messages.ts'

/** Clocks of replicas differ. */
const TOLERANCE_MS = 500

/** S8: why a message should not have been acknowledged yet; `undefined` when its effect is stored, or a copy of it is delayed. */
export function whyNotAcked(
  { committed, delayed }: { readonly committed: Committed; readonly delayed: DelayedMessages },
  queue: string,
  message: Message,
  nowMs: number,
): string | undefined {
  const id = String(message.properties['messageId'])
  if (queue.endsWith('order-created')) {
    const { data } = JSON.parse(message.content.toString('utf8')) as { data: { transaction_id: string } }
    return committed.transaction(data.transaction_id) ? undefined : `${id}: its transaction is not stored`
  }
  if (delayed.hasCopy(id)) return undefined
  if (queue.endsWith('-changed')) return committed.delivery(id) ? undefined : `${id}: its delivery is not stored`
  if (!queue.endsWith('.retries')) return undefined
  const [deliveryId = '', attempt = ''] = id.split('#')
  const delivery = committed.delivery(deliveryId)
  if (!delivery) return `${id}: its delivery is not stored`
  const { status, attempt_count: made, claimed_until: claimed, next_attempt_at: next } = delivery
  const isDone = status !== 'retrying' || made >= Number(attempt)
  const isLater = claimed.getTime() + TOLERANCE_MS >= nowMs || (next?.getTime() ?? 0) + TOLERANCE_MS >= nowMs
  return isDone || isLater ? undefined : `${id}: its attempt was not made`
}
