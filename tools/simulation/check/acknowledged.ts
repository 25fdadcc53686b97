import type { Message } from '../rabbit/message.ts'
import type { Committed } from './committed.ts'
import type { MessageCopies } from './message-copies.ts'

/** Clocks of replicas differ. */
const TOLERANCE_MS = 500

/**
 * S8: why a message should not have been acknowledged yet; `undefined` when its effect is stored, or a delayed copy of it waits.
 * A retry is left to the sweep when, since its delivery, another replica has claimed the attempt or made it due later: a consumer
 * that was paused, or whose database stood still, may learn of it only when that time is over too.
 */
export function whyNotAcked(
  { committed, copies }: { readonly committed: Committed; readonly copies: MessageCopies },
  queue: string,
  message: Message,
  deliveredAtMs: number,
): string | undefined {
  const id = String(message.properties['messageId'])
  if (queue.endsWith('order-created')) {
    const { data } = JSON.parse(message.content.toString('utf8')) as { data: { transaction_id: string } }
    return committed.transaction(data.transaction_id) ? undefined : `${id}: its transaction is not stored`
  }
  if (copies.hasDelayed(id)) return undefined
  if (queue.endsWith('-changed')) return committed.delivery(id) ? undefined : `${id}: its delivery is not stored`
  if (!queue.endsWith('.retries')) return undefined
  const [deliveryId = '', attempt = ''] = id.split('#')
  const delivery = committed.delivery(deliveryId)
  if (!delivery) return `${id}: its delivery is not stored`
  const { status, attempt_count: made, claimed_until: claimed, next_attempt_at: next } = delivery
  const isDone = status !== 'retrying' || made >= Number(attempt)
  const isLater = Math.max(claimed.getTime(), next?.getTime() ?? 0) + TOLERANCE_MS >= deliveredAtMs
  return isDone || isLater ? undefined : `${id}: its attempt was not made`
}
