import { GatewayError } from '../errors.ts'
import { bodyTooLong, createCore, MAX_BODY_BYTES, type ReceiverOptions } from './receiver.ts'

export interface FastifyReceiverOptions extends ReceiverOptions {
  /** The path of the route, below the plugin's prefix; `/` by default. */
  readonly path?: string
}

/** What this needs of a Fastify instance. */
export interface FastifyScope {
  removeAllContentTypeParsers(): void
  addContentTypeParser(
    contentType: string,
    options: { parseAs: 'buffer'; bodyLimit: number },
    parser: (request: unknown, body: Uint8Array, done: (error: Error | null, body?: unknown) => void) => void,
  ): unknown
  setErrorHandler(handler: (error: unknown, request: unknown, reply: FastifyReplyLike) => void): unknown
  post(path: string, handler: (request: FastifyRequestLike, reply: FastifyReplyLike) => Promise<unknown>): unknown
}

export interface FastifyRequestLike {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body?: unknown
  /** The bytes as they came, kept by a plugin such as fastify-raw-body. */
  readonly rawBody?: unknown
}

export interface FastifyReplyLike {
  code(status: number): FastifyReplyLike
  header(name: string, value: string): FastifyReplyLike
  send(): unknown
}

/**
 * A webhook receiver as a Fastify plugin. Within the plugin the body stays bytes; parsers of the rest of the application are not
 * affected.
 *
 * @example
 * import { createReceiver } from '@gateway/sdk/fastify'
 * await app.register(createReceiver({ gateway, secrets, store, onFinal: (order) => release(order) }), { prefix: '/webhooks' })
 */
export function createReceiver({ path = '/', ...options }: FastifyReceiverOptions): (scope: FastifyScope) => Promise<void> {
  const { handle, report } = createCore(options)
  return (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES }, (_request, body, done) => done(null, body))
    scope.setErrorHandler((error, _request, reply) => {
      const isLong = isTooLong(error)
      report(isLong ? bodyTooLong() : error)
      // The rest of the body is not read: the connection ends with the answer.
      if (isLong) reply.code(413).header('connection', 'close').send()
      else reply.code(500).send()
    })
    scope.post(path, async ({ rawBody, body: parsed = new Uint8Array(), headers }, reply) => {
      const body = rawBody ?? parsed
      if (!(body instanceof Uint8Array) && typeof body !== 'string')
        throw new GatewayError('The body was parsed before the webhook receiver saw it: register the receiver as a plugin')
      return reply.code(await handle(body, headers)).send()
    })
    return Promise.resolve()
  }
}

function isTooLong(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'statusCode' in error && error.statusCode === 413
}
