import { Unsupported, type Fields } from './codec.ts'

/** What a binding leads to. */
interface Destination {
  readonly kind: 'queue' | 'exchange'
  readonly name: string
}

/** A durable exchange, with its bindings. */
export class Exchange {
  readonly type: string
  /** Clients cannot publish to it. */
  readonly isInternal: boolean
  /** By routing key, then by the text of the destination. */
  readonly #bindings = new Map<string, Map<string, Destination>>()
  /** The routing keys with a `*`, which stands for one word. */
  #patterns: readonly (readonly [RegExp, string])[] = []

  constructor({ type, internal, durable, autoDelete }: Fields) {
    if (type !== 'direct' && type !== 'topic') throw new Unsupported(`exchanges of the type ${String(type)}`)
    if (durable !== true || autoDelete === true) throw new Unsupported('exchanges that are not durable')
    this.type = type
    this.isInternal = internal === true
  }

  bind(routingKey: string, to: Destination): void {
    if (routingKey.includes('#') || (this.type !== 'topic' && routingKey.includes('*')))
      throw new Unsupported('such patterns of routing keys')
    this.#bindings.set(routingKey, (this.#bindings.get(routingKey) ?? new Map<string, Destination>()).set(textOf(to), to))
    this.#note()
  }

  /** Removing a binding that there is not changes nothing. */
  unbind(routingKey: string, to: Destination): void {
    const bound = this.#bindings.get(routingKey)
    if (bound?.delete(textOf(to)) && bound.size === 0) this.#bindings.delete(routingKey)
    this.#note()
  }

  /** Removes every binding to a destination. */
  forget(to: Destination): void {
    for (const routingKey of [...this.#bindings.keys()]) this.unbind(routingKey, to)
  }

  /** Where a message goes; a destination may come twice. */
  routesOf(routingKey: string): Destination[] {
    const keys = this.#patterns.filter(([pattern]) => pattern.test(routingKey)).map(([, key]) => key)
    return [...new Set([routingKey, ...keys])].flatMap((key) => [...(this.#bindings.get(key)?.values() ?? [])])
  }

  #note(): void {
    const keys = [...this.#bindings.keys()].filter((key) => key.includes('*'))
    this.#patterns = keys.map((key) => [new RegExp(`^${key.replaceAll('.', '\\.').replaceAll('*', '[^.]+')}$`, 'u'), key])
  }
}

function textOf({ kind, name }: Destination): string {
  return `${kind} ${name}`
}
