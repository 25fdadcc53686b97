import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { answerClientErrors } from './client-errors.ts'
import type { Stoppable } from '../process/lifecycle.ts'
import { createTimeSlicer } from '../scheduling/time-slicer.ts'

export interface RunningServer extends Stoppable {
  /** The port it listens on: the free one that was found, when 0 was asked for. */
  readonly port: number
  /** From now on `/readyz` is 503 and every answer closes its connection; everything else goes on. */
  readonly retire: () => void
}

/**
 * How long clients may keep a connection that they do not use (RFC 9112 section 9.3, `Keep-Alive: timeout`): shorter than
 * `SHUTDOWN_DELAY` (5 s), so that after it has passed nobody keeps one on which the next request would meet our closing it.
 */
const KEEP_ALIVE_TOLD_MS = 4000
/** For load balancers, which do not heed what they are told: nginx and AWS keep them for 60 s. */
const KEEP_ALIVE_MORE_MS = 61_000
/** How long a turn of the event loop begins requests, in milliseconds: what goes on with others, and reading, come on top. */
const SLICE_MS = 5
/** Far more than callers have on their way; a connection that pipelines requests brings some thousand with one read. */
const MAX_QUEUED = 1000

/** Listens. `retire` sends callers elsewhere; `stop` lets running requests finish and takes no more. */
export async function listen(app: RequestListener, { port, host }: { port: number; host: string }): Promise<RunningServer> {
  let retired = false
  const retire = (): void => void (retired = true)
  const inSlices = createTimeSlicer({ sliceMs: SLICE_MS, maxQueued: MAX_QUEUED })
  const server = createServer((request, response) => {
    inSlices(() => {
      // Whoever went away while it waited has asked for nothing that was begun.
      if (request.destroyed) return
      // The caller's next request goes on a new connection, to whoever is still there.
      if (retired) response.setHeader('connection', 'close')
      if (retired && request.url === '/readyz') answerStopping(response)
      else app(request, response)
    })
  })
  // What clients are told, and how much longer we keep it: so it is the client that closes, and no request is lost.
  server.keepAliveTimeout = KEEP_ALIVE_TOLD_MS
  server.keepAliveTimeoutBuffer = KEEP_ALIVE_MORE_MS
  server.headersTimeout = 20_000
  server.requestTimeout = 30_000
  answerClientErrors(server)
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
