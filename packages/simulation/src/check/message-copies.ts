/** Counts the copies of each message in the dispatcher's queues. A copy may be acknowledged while another waits; the last must have its effect. */
export class MessageCopies {
  /** How many copies each message has. */
  readonly #copies = new Map<string, number>()
  readonly #delayed = new Set<string>()

  /** The broker has stored a copy in a queue. */
  stored(queue: string, id: string): void {
    if (!isOfDispatcher(queue)) return
    if (isDelayQueue(queue)) this.#delayed.add(id)
    this.#copies.set(id, (this.#copies.get(id) ?? 0) + 1)
  }

  /** A copy has left a queue: acknowledged, or moved to the next one, which has stored it before. */
  left(queue: string, id: string): void {
    if (!isOfDispatcher(queue)) return
    const copies = (this.#copies.get(id) ?? 0) - 1
    if (copies > 0) this.#copies.set(id, copies)
    else {
      this.#copies.delete(id)
      this.#delayed.delete(id)
    }
  }

  /** Whether a copy waits in any queue and was delayed on its way. */
  hasDelayed(id: string): boolean {
    return this.#delayed.has(id)
  }
}

export function isDelayQueue(queue: string): boolean {
  return queue.includes('.park.')
}

function isOfDispatcher(queue: string): boolean {
  return queue.includes('webhook-dispatcher.') && !queue.endsWith('.dead')
}
