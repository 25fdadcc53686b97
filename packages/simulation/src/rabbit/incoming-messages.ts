import type { Fields } from './codec.ts'
import type { Message } from './message.ts'

/** Puts the messages of one channel together: the method, the properties, and the parts of the body come in frames of their own. */
export class IncomingMessages {
  readonly #whole: (fields: Fields, message: Message) => void
  #fields: Fields = {}
  #properties: Fields = {}
  #left = 0
  #parts: Buffer[] = []

  /** @param whole called with each message that is complete, and the fields of its method */
  constructor(whole: (fields: Fields, message: Message) => void) {
    this.#whole = whole
  }

  begin(fields: Fields): void {
    this.#fields = fields
    this.#parts = []
  }

  setProperties(properties: Fields, size: number): void {
    this.#properties = properties
    this.#left = size
    if (size === 0) this.#finish()
  }

  addPart(part: Buffer): void {
    this.#parts.push(part)
    this.#left -= part.length
    if (this.#left <= 0) this.#finish()
  }

  #finish(): void {
    const { exchange, routingKey } = this.#fields
    const content = Buffer.concat(this.#parts)
    this.#parts = []
    this.#whole(this.#fields, {
      exchange: String(exchange),
      routingKey: String(routingKey),
      properties: this.#properties,
      content,
    })
  }
}
