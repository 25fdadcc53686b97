import { readBody } from '../encoding.ts'
import { GatewayError } from '../errors.ts'
import { createCore, MAX_BODY_BYTES, type ReceiverOptions } from './receiver.ts'

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
  const { handle } = createCore(options)
  return async (request) => {
    if (request.bodyUsed)
      throw new GatewayError('The body was read before the webhook receiver saw it. Call the receiver before request.json()')
    return new Response(null, { status: await handle(await readBody(request, MAX_BODY_BYTES), request.headers) })
  }
}
