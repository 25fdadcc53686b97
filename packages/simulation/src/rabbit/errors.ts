/** Closes a channel, or the whole connection, with a code and a text. */
export class AmqpError extends Error {
  readonly code: number
  /** The method that caused it, as amqplib names it. */
  readonly closes: 'channel' | 'connection'

  constructor(code: number, message: string, closes: 'channel' | 'connection' = 'channel') {
    super(message)
    this.code = code
    this.closes = closes
  }
}

export const noQueue = (name: string) => new AmqpError(404, `NOT_FOUND - no queue '${name}' in vhost '/'`)
export const noExchange = (name: string) => new AmqpError(404, `NOT_FOUND - no exchange '${name}' in vhost '/'`)
export const precondition = (text: string) => new AmqpError(406, `PRECONDITION_FAILED - ${text}`)

/** The model does not have this, on purpose: to answer as if it had would be a wrong model. */
export class Unsupported extends AmqpError {
  constructor(what: string) {
    super(540, `NOT_IMPLEMENTED - the simulated RabbitMQ does not support ${what}`, 'connection')
  }
}
