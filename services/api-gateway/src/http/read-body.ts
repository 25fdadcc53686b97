import type { IncomingMessage } from 'node:http'
import { Refused } from '@gateway/contracts'
import { BODY_LIMIT_BYTES } from '@gateway/service-kit/http'

/** How much of a body that is too large is read and discarded, so that the client gets to read the refusal. */
const DRAIN_BYTES = 1024 * 1024

/** The whole body, at most 64 KiB; `null` when there is none. Throws `body_too_large`, or `malformed_request` for an incomplete body. */
export async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  if (!hasBody(request)) return null
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of chunksOf(request)) {
      size += chunk.length
      if (size <= BODY_LIMIT_BYTES) chunks.push(chunk)
      else if (size > BODY_LIMIT_BYTES + DRAIN_BYTES) break
    }
  } catch {
    // The client disconnected. That is not an error of the gateway, and no one reads the answer.
    throw new Refused('malformed_request', 'The body is incomplete')
  }
  if (size > BODY_LIMIT_BYTES) throw bodyTooLarge()
  return Buffer.concat(chunks, size)
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Throws `body_too_large` when `content-length` is above the limit, before any byte is read. */
export function refuseLargeBody({ headers }: IncomingMessage): void {
  if (Number(headers['content-length'] ?? 0) > BODY_LIMIT_BYTES) throw bodyTooLarge()
}

/** Throws `content_type_unsupported` for anything but plain JSON. */
export function requireJson(request: IncomingMessage): void {
  if (!hasBody(request)) return
  if (!/^application\/json\s*(?:;|$)/iu.test(request.headers['content-type'] ?? '')) {
    throw new Refused('content_type_unsupported', 'The body must be application/json')
  }
  refuseEncodedBody(request)
}

/** Throws `content_type_unsupported` for a compressed body: it could be far larger than its `content-length`. */
export function refuseEncodedBody({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity') throw new Refused('content_type_unsupported', 'The body must not be compressed')
}

/** Leaving the loop early must not close the connection: the answer still has to be sent over it. */
function chunksOf(request: IncomingMessage): AsyncIterable<Buffer> {
  return request.iterator({ destroyOnReturn: false })
}

function bodyTooLarge(): Refused {
  return new Refused('body_too_large', `The body is larger than ${BODY_LIMIT_BYTES / 1024} KiB`)
}
