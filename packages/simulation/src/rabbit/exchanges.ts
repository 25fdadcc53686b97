import { noExchange, Unsupported } from './errors.ts'

/** The exchanges and their bindings to queues. The one without a name routes to the queue that the routing key names. */
export class Exchanges {
  /** By exchange, then by routing key: the names of the queues. */
  readonly #bindings = new Map<string, Map<string, Set<string>>>()

  declare(name: string, type: string): void {
    if (type !== 'direct' && type !== 'topic') throw new Unsupported(`exchanges of the type ${type}`)
    if (!this.#bindings.has(name)) this.#bindings.set(name, new Map())
  }

  bind(queue: string, exchange: string, routingKey: string): void {
    if (/[*#]/u.test(routingKey)) throw new Unsupported('patterns of routing keys')
    const queues = this.#of(exchange)
    queues.set(routingKey, (queues.get(routingKey) ?? new Set()).add(queue))
  }

  /** The names of the queues that get a message. Throws when there is no such exchange. */
  route(exchange: string, routingKey: string): string[] {
    return exchange === '' ? [routingKey] : [...(this.#of(exchange).get(routingKey) ?? [])]
  }

  #of(exchange: string): Map<string, Set<string>> {
    const found = this.#bindings.get(exchange)
    if (!found) throw noExchange(exchange)
    return found
  }
}
