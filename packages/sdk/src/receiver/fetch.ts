import { concat } from '../encoding.ts'
import { GatewayError } from '../errors.ts'
import { MAX_BODY_BYTES } from './read-stream.ts'
import { createReport } from './report.ts'
import { bodyTooLong, createReceiver as createCore, type ReceiverOptions } from './receiver.ts'

/**
 * A webhook receiver for everything that speaks `Request` and `Response`: route handlers of Next, Hono, Bun, Deno.
 *
 * @throws `GatewayError` when the request's body was read before
 * @example
 * // app/webhooks/route.ts of a Next project
 * import { createReceiver } from '@gateway/sdk/fetch'
 * export const POST = createReceiver({ gateway, secrets, store, onFinal: (order) => release(order) })
 */
export function createReceiver(options: ReceiverOptions): (request: Request) => Promise<Response> {
  const receiver = createCore(options)
  const report = createReport(options.onError)
  return async (request) => {
    if (request.bodyUsed)
      throw new GatewayError('The body was read before the webhook receiver saw it. Call the receiver before request.json()')
    const body = await readBody(request)
    if (body !== undefined) return new Response(null, { status: await receiver.handle(body, request.headers) })
    report(bodyTooLong())
    return new Response(null, { status: 413 })
  }
}

/** `undefined` when the body is too long. */
async function readBody({ body }: Request): Promise<Uint8Array | undefined> {
  const stream: ReadableStream<Uint8Array> | null = body
  if (!stream) return new Uint8Array()
  const reader = stream.getReader()
  const chunks: Uint8Array[] = []
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return concat(...chunks)
    bytes += value.length
    if (bytes > MAX_BODY_BYTES) {
      // Not awaited: the sender may hold the stream, and the answer must not wait for it.
      reader.cancel().catch(() => undefined)
      return undefined
    }
    chunks.push(value)
  }
}
