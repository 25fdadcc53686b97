import { idOf, type Message } from '../rabbit/message.ts'
import type { Committed } from './committed.ts'
import type { MessageCopies } from './message-copies.ts'

/** Clocks of replicas differ. */
const TOLERANCE_MS = 500

/** What is known of a message when a consumer gets it. */
interface Received {
  readonly atMs: number
  /** When the attempt was due then. */
  readonly due: Date | undefined
}

interface AcknowledgedOptions {
  readonly committed: Committed
  readonly copies: MessageCopies
  readonly nowMs: () => number
}

/** S8: a message is acknowledged only after its effect is stored, or while a delayed copy of it waits. */
export class Acknowledged {
  readonly #options: AcknowledgedOptions
  readonly #received = new WeakMap<Buffer, Received>()

  constructor(options: AcknowledgedOptions) {
    this.#options = options
  }

  /** A consumer has got the message. */
  received(message: Message): void {
    const [deliveryId = ''] = idOf(message).split('#')
    const { committed, nowMs } = this.#options
    this.#received.set(message.content, { atMs: nowMs(), due: committed.delivery(deliveryId)?.next_attempt_at })
  }

  /** Why a message must not be acknowledged yet; `undefined` when it may be. */
  whyNot(queue: string, message: Message): string | undefined {
    const { committed, copies } = this.#options
    const id = idOf(message)
    if (queue.endsWith('order-created')) {
      const { data } = JSON.parse(message.content.toString('utf8')) as { data: { transaction_id: string } }
      return committed.transaction(data.transaction_id) ? undefined : `${id}: its transaction is not stored`
    }
    if (copies.hasDelayed(id)) return undefined
    if (queue.endsWith('-changed')) return committed.delivery(id) ? undefined : `${id}: its delivery is not stored`
    return queue.endsWith('.retries') ? this.#whyNotRetry(id, message) : undefined
  }

  /**
   * A retry may also be acknowledged when another replica's claim lasts beyond its delivery, or its attempt has been made due later.
   * The delivery counts, not the acknowledgement: a consumer that was paused may acknowledge after that time.
   */
  #whyNotRetry(id: string, { content }: Message): string | undefined {
    const [deliveryId = '', attempt = ''] = id.split('#')
    const delivery = this.#options.committed.delivery(deliveryId)
    if (!delivery) return `${id}: its delivery is not stored`
    const { status, attempt_count: made, claimed_until: claimed, next_attempt_at: next } = delivery
    const { atMs, due } = this.#received.get(content) ?? { atMs: this.#options.nowMs(), due: undefined }
    const isDone = status !== 'retrying' || made >= Number(attempt)
    const isTaken = claimed.getTime() + TOLERANCE_MS >= atMs
    const isDueLater = (next?.getTime() ?? 0) > (due?.getTime() ?? Infinity)
    return isDone || isTaken || isDueLater ? undefined : `${id}: its attempt was not made`
  }
}
