import { GatewayError } from '../errors.ts'
import { createCore, MAX_BODY_BYTES, type ReceiverOptions, type ReceiverStatus } from './receiver.ts'

/** A request of `node:http`, or of a framework on top of it. */
export interface NodeRequest extends AsyncIterable<unknown> {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Something has read the stream. */
  readonly readableDidRead?: boolean
  readonly readableEnded?: boolean
  /** Set by a body parser. Express 4 sets `{}` also when it has read nothing. */
  readonly body?: unknown
  /** The bytes as they came, kept by Firebase, Google Cloud Functions, Nest (`rawBody: true`) and others. */
  readonly rawBody?: unknown
  destroy?(): unknown
}

/** The part that the receiver uses of a response of Express, Connect or `node:http`. */
export interface NodeResponse {
  statusCode: number
  setHeader(name: string, value: string): unknown
  end(whenSent?: () => void): unknown
}

export type NodeHandler = (request: NodeRequest, response: NodeResponse, next?: (error?: unknown) => void) => void

/**
 * A webhook receiver for Express 4 and 5, Connect, Nest, Firebase or `node:http`. It reads the body itself: register it before
 * `express.json()`, or keep the bytes as `request.rawBody`. A body that was parsed already goes to `next` as an error that says so.
 *
 * @example
 * import { createReceiver } from '@gateway/sdk/express'
 * app.post('/webhooks', createReceiver({ gateway, secrets, store, onFinal: (order) => release(order) }))
 * app.use(express.json())
 */
export function createReceiver(options: ReceiverOptions): NodeHandler {
  const { handle, report } = createCore(options)
  return (request, response, next) => {
    rawBodyOf(request)
      .then((body) => handle(body, request.headers))
      .then((status) => end(request, response, status))
      .catch((error: unknown) => {
        if (next) {
          next(error)
          return
        }
        report(error)
        end(request, response, 500)
      })
  }
}

function end(request: NodeRequest, response: NodeResponse, status: ReceiverStatus): void {
  response.statusCode = status
  if (status !== 413) {
    response.end()
    return
  }
  // The rest of the body is not read: the connection ends with the answer.
  response.setHeader('connection', 'close')
  response.end(() => request.destroy?.())
}

const PARSED =
  'The body was parsed before the webhook receiver saw it, so its signature cannot be verified. ' +
  'Register the receiver before express.json() and other parsers: app.post("/webhooks", receiver); app.use(express.json()). ' +
  'Or keep the bytes as request.rawBody'

/** The bytes of the body; `undefined` when they are too long. Throws when a parser has read them and kept none. */
async function rawBodyOf(request: NodeRequest): Promise<Uint8Array | string | undefined> {
  // express.raw() and express.text() leave the bytes as they came.
  const kept = [request.rawBody, request.body].find((body) => typeof body === 'string' || ArrayBuffer.isView(body))
  if (typeof kept === 'string') return kept
  if (kept !== undefined) return kept as Uint8Array
  if (request.readableDidRead === true || request.readableEnded === true) throw new GatewayError(PARSED)
  return readStream(request)
}

/** How much of a too long body is read and dropped: many senders read the answer only after they have sent the whole body. */
const MAX_DROPPED_BYTES = 1024 * 1024

/**
 * The whole body of a Node request; `undefined` when it is too long. Reading then ends, and the caller closes the connection.
 * Rejects when the connection breaks.
 */
async function readStream(stream: AsyncIterable<unknown>): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  // No `for await`: leaving it early would destroy the request, and with it the connection, before the answer is sent.
  const reader: AsyncIterator<unknown, unknown> = stream[Symbol.asyncIterator]()
  while (bytes <= MAX_BODY_BYTES + MAX_DROPPED_BYTES) {
    const { done, value } = await reader.next()
    if (done === true) return bytes <= MAX_BODY_BYTES ? Buffer.concat(chunks) : undefined
    if (!(value instanceof Uint8Array)) throw new Error('the request has an encoding: read it before setEncoding is called')
    bytes += value.length
    if (bytes <= MAX_BODY_BYTES) chunks.push(value)
  }
  return undefined
}
