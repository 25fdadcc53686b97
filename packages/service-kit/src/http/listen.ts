import type { RequestListener, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Stoppable } from '../process/parts.ts'
import { createTimeSlicer } from '../scheduling/time-slicer.ts'
import { newRequestId, REQUEST_ID_HEADER } from '../logging/correlation.ts'
import { boundConnections, type AnswerLimits, type ConnectionLimit } from './connections.ts'
import { problem, type Problem } from './problem.ts'

/**
 * `node:http` without Node's built-in fetch. An `import` of `node:http` reads all of its exports, and the one named WebSocket
 * makes Node load fetch and all that belongs to it. Fetching the module by this function reads only what is named here.
 */
const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http')

export interface RunningServer extends Stoppable {
  /** The port in use; the one that was picked when 0 was given. */
  readonly port: number
  /** From now on `/readyz` is 503 and every answer closes its connection. All other requests are served as before. */
  readonly retire: () => void
}

/**
 * How long clients are told to keep an unused connection (RFC 9112 section 9.3, `Keep-Alive: timeout`). Shorter than
 * `SHUTDOWN_DELAY` (5 s), so that no client sends a request on a connection that this replica is closing.
 */
const KEEP_ALIVE_TOLD_MS = 4000
/** For load balancers that ignore the header: nginx and AWS keep connections for 60 s. */
const KEEP_ALIVE_MORE_MS = 61_000
/** How long one event-loop turn starts new requests, in milliseconds. Running requests and reading come on top. */
const SLICE_MS = 5
/** Far more than real callers have in flight. */
const MAX_QUEUED = 1000

/** How often connections are looked through for requests that take too long. Node's own default is 30 s. */
const CHECK_DEADLINES_MS = 1000

export interface ListenOptions {
  readonly port: number
  readonly host: string
  /** How long a client may take for the headers of a request, in milliseconds. */
  readonly headersTimeoutMs?: number
  /** How long a client may take for a whole request, in milliseconds. */
  readonly requestTimeoutMs?: number
  readonly connectionLimit?: ConnectionLimit | undefined
  readonly answerLimits?: AnswerLimits
}

/** Starts a server. `retire` sends callers to other replicas; `stop` lets running requests finish and accepts no more. */
export async function listen(app: RequestListener, options: ListenOptions): Promise<RunningServer> {
  const { port, host, headersTimeoutMs = 20_000, requestTimeoutMs = 30_000, connectionLimit, answerLimits } = options
  let retired = false
  const retire = (): void => void (retired = true)
  const inSlices = createTimeSlicer({ sliceMs: SLICE_MS, maxQueued: MAX_QUEUED })
  const server = createServer({ connectionsCheckingInterval: CHECK_DEADLINES_MS }, (request, response) => {
    if (!connections.admit(request.socket, response)) return
    inSlices(() => {
      // The client closed the connection while its request was queued.
      if (request.destroyed) return
      // The caller's next request opens a new connection, to a replica that stays.
      if (retired) response.setHeader('connection', 'close')
      if (retired && request.url === '/readyz') answerStopping(response)
      else app(request, response)
    })
  })
  // The server keeps a connection longer than it tells clients, so that the client closes it and no request is lost.
  server.keepAliveTimeout = KEEP_ALIVE_TOLD_MS
  server.keepAliveTimeoutBuffer = KEEP_ALIVE_MORE_MS
  server.headersTimeout = headersTimeoutMs
  server.requestTimeout = requestTimeoutMs
  const connections = boundConnections(server, connectionLimit, answerLimits)
  answerClientErrors(server, connections.isAnswering)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const address = server.address()
  return {
    name: 'http',
    port: typeof address === 'object' && address ? address.port : port,
    retire,
    stop: (deadlineMs) => {
      retire()
      return closeServer(server, deadlineMs)
    },
  }
}

function answerStopping(response: ServerResponse): void {
  response.writeHead(503, { 'content-type': 'application/json; charset=utf-8' }).end('{"status":"stopping"}')
}

async function closeServer(server: Server, deadlineMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  const timer = setTimeout(() => server.closeAllConnections(), deadlineMs * 0.8)
  server.closeIdleConnections()
  await closed
  clearTimeout(timer)
}

/**
 * Answers requests that Node's parser refuses with a problem: broken framing, headers that are too long, a request that
 * never ends, an unknown `expect`. They reach no route, and Node's own answer has no body and no request id.
 */
function answerClientErrors(server: Server, isAnswering: (socket: Duplex) => boolean): void {
  // While an earlier answer is being sent, the client would read this refusal as part of it.
  const refuse = (socket: Duplex, refusal: Problem): void => {
    if (!socket.writable || isAnswering(socket)) socket.destroy()
    else socket.end(toResponse(refusal))
  }
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET') socket.destroy()
    else refuse(socket, toProblem(error.code ?? ''))
  })
  server.on('checkExpectation', ({ socket }) => {
    refuse(socket, problem('expectation_failed', 'The only supported expectation is 100-continue'))
  })
}

function toProblem(code: string): Problem {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return problem('headers_too_large', 'The headers are larger than this service reads')
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return problem('body_too_large', 'The chunk extensions are larger than this service reads')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return problem('request_timeout', 'The request did not arrive in time')
    default:
      return problem('malformed_request', 'The request is not valid HTTP')
  }
}

function toResponse(refusal: Problem): string {
  const requestId = newRequestId()
  const body = JSON.stringify({ ...refusal, request_id: requestId })
  return [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? 'Error'}`,
    'content-type: application/problem+json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `${REQUEST_ID_HEADER}: ${requestId}`,
    'cache-control: no-store',
    'connection: close',
    '',
    body,
  ].join('\r\n')
}
