import { noExchange, precondition, Unsupported } from './errors.ts'

interface Binding {
  readonly queue: string
  readonly pattern: string
}

interface Exchange {
  readonly type: string
  readonly bindings: Binding[]
}

const TYPES = ['direct', 'topic', 'fanout']

/** The exchanges and their bindings to queues. The one without a name routes to the queue that the routing key names. */
export class Exchanges {
  readonly #exchanges = new Map<string, Exchange>(
    TYPES.map((type) => [`amq.${type}`, { type, bindings: [] }] satisfies [string, Exchange]),
  )

  declare(name: string, type: string): void {
    if (!TYPES.includes(type)) throw new Unsupported(`exchanges of the type ${type}`)
    const existing = this.#exchanges.get(name)
    if (existing && existing.type !== type)
      throw precondition(
        `inequivalent arg 'type' for exchange '${name}' in vhost '/': received '${type}' but current is '${existing.type}'`,
      )
    if (!existing) this.#exchanges.set(name, { type, bindings: [] })
  }

  /** Throws when there is none of this name. */
  get(name: string): Exchange {
    const found = this.#exchanges.get(name)
    if (!found) throw noExchange(name)
    return found
  }

  remove(name: string): void {
    this.#exchanges.delete(name)
  }

  bind(queue: string, exchange: string, pattern: string): void {
    const { bindings } = this.get(exchange)
    if (!bindings.some((one) => one.queue === queue && one.pattern === pattern)) bindings.push({ queue, pattern })
  }

  /** Does nothing when there is no such binding. */
  unbind(queue: string, exchange: string, pattern: string): void {
    const bindings = this.#exchanges.get(exchange)?.bindings ?? []
    const at = bindings.findIndex((one) => one.queue === queue && one.pattern === pattern)
    if (at >= 0) bindings.splice(at, 1)
  }

  /** Removes the bindings of a queue that is deleted. */
  forget(queue: string): void {
    for (const { bindings } of this.#exchanges.values())
      for (const binding of bindings.filter((one) => one.queue === queue)) bindings.splice(bindings.indexOf(binding), 1)
  }

  /** The names of the queues that get a message, each once. Throws when there is no such exchange. */
  route(exchange: string, routingKey: string): string[] {
    if (exchange === '') return [routingKey]
    const { type, bindings } = this.get(exchange)
    const matches = bindings.filter(({ pattern }) => {
      if (type === 'fanout') return true
      return type === 'topic' ? topicMatches(pattern.split('.'), routingKey.split('.')) : pattern === routingKey
    })
    return [...new Set(matches.map(({ queue }) => queue))]
  }
}

/** `*` stands for one word, `#` for any number of them. */
function topicMatches([pattern, ...patterns]: readonly string[], words: readonly string[]): boolean {
  if (pattern === undefined) return words.length === 0
  if (pattern === '#')
    return words.some((_word, index) => topicMatches(patterns, words.slice(index))) || topicMatches(patterns, [])
  const [word, ...others] = words
  return word !== undefined && (pattern === '*' || pattern === word) && topicMatches(patterns, others)
}
