import type { Message } from 'amqplib'
import type { OutgoingMessage } from './outgoing.ts'

export interface Unconfirmed {
  readonly route: string
  /** The broker has returned the message: no queue is bound for it. */
  isReturned: boolean
}

/** The messages of one publisher that the broker has not confirmed. */
export class UnconfirmedMessages {
  readonly #entries = new Set<Unconfirmed>()

  get count(): number {
    return this.#entries.size
  }

  add({ exchange, routingKey, messageId }: OutgoingMessage): Unconfirmed {
    const entry = { route: routeOf(exchange, routingKey, messageId), isReturned: false }
    this.#entries.add(entry)
    return entry
  }

  remove(entry: Unconfirmed): void {
    this.#entries.delete(entry)
  }

  /**
   * The broker returns a message before it confirms it, in the order of publishing. Two copies of one event in flight have the
   * same id and route; then the first copy counts as returned, which is as good, since both are the same event.
   */
  markReturned({ fields, properties }: Message): void {
    const route = routeOf(fields.exchange, fields.routingKey, String(properties.messageId))
    for (const entry of this.#entries) {
      if (entry.isReturned || entry.route !== route) continue
      entry.isReturned = true
      return
    }
  }
}

function routeOf(exchange: string, routingKey: string, messageId: string): string {
  return JSON.stringify([exchange, routingKey, messageId])
}
