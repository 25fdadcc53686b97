import { idOf, type Message } from '../rabbit/message.ts'
import type { Committed } from './committed.ts'

/** Clocks of replicas differ. */
const TOLERANCE_MS = 500

/** What is known of a message when a consumer gets it. */
interface Received {
  readonly atMs: number
  /** When the attempt was due then. */
  readonly due: Date | null | undefined
}

/** S8: a message is acknowledged only after its effect is stored, or while a delayed copy of it waits. */
export function createAcknowledged(committed: Committed, nowMs: () => number) {
  /** How many copies of each message the dispatcher's queues have. One may be acknowledged while another waits. */
  const copies = new Map<string, number>()
  /** The messages of which a copy was delayed on its way. */
  const delayed = new Set<string>()
  const deliveries = new WeakMap<Buffer, Received>()

  /**
   * A retry may also be acknowledged when another replica's claim lasts beyond its delivery, or its attempt has been made due later.
   * The delivery counts, not the acknowledgement: a consumer that was paused may acknowledge after that time.
   */
  function whyNotRetry(id: string, { content }: Message): string | undefined {
    const [deliveryId = '', attempt = ''] = id.split('#')
    const delivery = committed.delivery(deliveryId)
    if (!delivery) return `${id}: its delivery is not stored`
    const { status, attempt_count: made, claimed_until: claimed, next_attempt_at: next } = delivery
    const { atMs, due } = deliveries.get(content) ?? { atMs: nowMs(), due: undefined }
    const isDone = status !== 'retrying' || made >= Number(attempt)
    const isTaken = claimed.getTime() + TOLERANCE_MS >= atMs
    const isDueLater = (next?.getTime() ?? 0) > (due?.getTime() ?? Infinity)
    return isDone || isTaken || isDueLater ? undefined : `${id}: its attempt was not made`
  }

  return {
    /** The broker has stored a copy in a queue. */
    stored(queue: string, id: string): void {
      if (!isOfDispatcher(queue)) return
      if (isDelayQueue(queue)) delayed.add(id)
      copies.set(id, (copies.get(id) ?? 0) + 1)
    },
    /** A copy has left a queue: acknowledged, or moved to the next one, which has stored it before. */
    left(queue: string, id: string): void {
      if (!isOfDispatcher(queue)) return
      const count = (copies.get(id) ?? 0) - 1
      if (count > 0) copies.set(id, count)
      else {
        copies.delete(id)
        delayed.delete(id)
      }
    },
    /** A consumer has got the message. */
    received(message: Message): void {
      const [deliveryId = ''] = idOf(message).split('#')
      deliveries.set(message.content, { atMs: nowMs(), due: committed.delivery(deliveryId)?.next_attempt_at })
    },
    /** Why a message must not be acknowledged yet; `undefined` when it may be. */
    whyNot(partition: string, message: Message): string | undefined {
      const [id, queue] = [idOf(message), partition.replace(/\.\d+$/u, '')]
      if (queue.endsWith('order-created')) {
        const { data } = JSON.parse(message.content.toString('utf8')) as { data: { transaction_id: string } }
        return committed.transaction(data.transaction_id) ? undefined : `${id}: its transaction is not stored`
      }
      if (delayed.has(id)) return undefined
      if (queue.endsWith('-changed')) return committed.delivery(id) ? undefined : `${id}: its delivery is not stored`
      return queue.endsWith('.retries') ? whyNotRetry(id, message) : undefined
    },
  }
}

export function isDelayQueue(queue: string): boolean {
  return queue.includes('.park.')
}

function isOfDispatcher(queue: string): boolean {
  return queue.includes('webhook-dispatcher.') && !queue.endsWith('.dead')
}
