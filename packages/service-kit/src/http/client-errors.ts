import type { Server } from 'node:http'
import { STATUS_CODES } from './node-http.ts'
import type { Duplex } from 'node:stream'
import { newRequestId, REQUEST_ID_HEADER } from '../logging/correlation.ts'
import { problem, type Problem } from './problem.ts'

/**
 * Answers requests that Node's parser refuses with a problem: broken framing, headers that are too long, a request that
 * never ends, an unknown `expect`. They reach no route, and Node's own answer has no body and no request id.
 */
export function answerClientErrors(server: Server, isAnswering: (socket: Duplex) => boolean): void {
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
