import { GatewayError } from '../errors.ts'
import { readStream } from './read-stream.ts'
import { report } from './report.ts'
import { createReceiver as createCore, type Receiver, type ReceiverOptions } from './receiver.ts'

/** What this needs of a request of Express, Connect or `node:http`. */
export interface NodeRequest extends AsyncIterable<unknown> {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly readableEnded?: boolean
  /** Set by a body parser. */
  readonly body?: unknown
}

export interface NodeResponse {
  statusCode: number
  end(): unknown
}

export type NodeHandler = (request: NodeRequest, response: NodeResponse, next?: (error?: unknown) => void) => void

const PARSED =
  'The body was parsed before the webhook receiver saw it, so its signature cannot be verified. ' +
  'Register the receiver before express.json(): app.post("/webhooks", receiver); app.use(express.json())'

/**
 * A webhook receiver for Express, Connect or `node:http`. It reads the body itself: register it before `express.json()`. A body
 * that was parsed already goes to `next` as an error that says so.
 *
 * @example
 * import { createReceiver } from '@gateway/sdk/express'
 * app.post('/webhooks', createReceiver({ gateway, secrets, store, onFinal: (order) => release(order) }))
 * app.use(express.json())
 */
export function createReceiver(options: ReceiverOptions): NodeHandler {
  const receiver = createCore(options)
  return (request, response, next) => {
    answer(receiver, request)
      .then((status) => {
        response.statusCode = status
        response.end()
      })
      .catch((error: unknown) => {
        if (next) {
          next(error)
          return
        }
        report(error, options.onError)
        response.statusCode = 500
        response.end()
      })
  }
}

async function answer(receiver: Receiver, request: NodeRequest): Promise<200 | 401 | 500> {
  const body = await rawBodyOf(request)
  return body === undefined ? 401 : receiver.handle(body, request.headers)
}

async function rawBodyOf(request: NodeRequest): Promise<Uint8Array | undefined> {
  // express.raw() leaves the bytes as they came.
  if (request.body instanceof Uint8Array) return request.body
  if (request.body !== undefined || request.readableEnded === true) throw new GatewayError(PARSED)
  return readStream(request)
}
