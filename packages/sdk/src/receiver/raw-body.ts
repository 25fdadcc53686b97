import { GatewayError } from '../errors.ts'
import { readStream } from './read-stream.ts'

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

const PARSED =
  'The body was parsed before the webhook receiver saw it, so its signature cannot be verified. ' +
  'Register the receiver before express.json() and other parsers: app.post("/webhooks", receiver); app.use(express.json()). ' +
  'Or keep the bytes as request.rawBody'

/** The bytes of the body; `undefined` when they are too long. Throws when a parser has read them and kept none. */
export async function rawBodyOf(request: NodeRequest): Promise<Uint8Array | string | undefined> {
  // express.raw() and express.text() leave the bytes as they came.
  const kept = [request.rawBody, request.body].find((body) => typeof body === 'string' || ArrayBuffer.isView(body))
  if (typeof kept === 'string') return kept
  if (kept !== undefined) return kept as Uint8Array
  if (request.readableDidRead === true || request.readableEnded === true) throw new GatewayError(PARSED)
  return readStream(request)
}
