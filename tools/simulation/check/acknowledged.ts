import type { Message } from '../rabbit/message.ts'
import type { Committed } from './committed.ts'
import type { MessageCopies } from './message-copies.ts'

/** Clocks of replicas differ. */
const TOLERANCE_MS = 500

/** S8: why a message should not have been acknowledged yet; `undefined` when its effect is stored, or another copy of it waits. */
export function whyNotAcked(
  { committed, copies }: { readonly committed: Committed; readonly copies: MessageCopies },
  queue: string,
  message: Message,
  nowMs: number,
): string | undefined {
  const id = String(message.properties['messageId'])
  if (queue.endsWith('order-created')) {
    const { data } = JSON.parse(message.content.toString('utf8')) as { data: { transaction_id: string } }
    return committed.transaction(data.transaction_id) ? undefined : `${id}: its transaction is not stored`
  }
  if (copies.hasDelayed(id)) return undefined
  if (queue.endsWith('-changed')) return committed.delivery(id) ? undefined : `${id}: its delivery is not stored`
  // A sweep publishes a retry again when its replica was paused for long, and moves its due time: the copy does what is left.
  if (!queue.endsWith('.retries') || copies.has(id)) return undefined
  const [deliveryId = '', attempt = ''] = id.split('#')
  const delivery = committed.delivery(deliveryId)
  if (!delivery) return `${id}: its delivery is not stored`
  const { status, attempt_count: made, claimed_until: claimed, next_attempt_at: next } = delivery
  const isDone = status !== 'retrying' || made >= Number(attempt)
  const isLater = claimed.getTime() + TOLERANCE_MS >= nowMs || (next?.getTime() ?? 0) + TOLERANCE_MS >= nowMs
  return isDone || isLater ? undefined : `${id}: its attempt was not made`
}
