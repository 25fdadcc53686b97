import type { IncomingMessage } from 'node:http'
import { Refused } from '@gateway/contracts'
import { BODY_LIMIT_BYTES } from '@gateway/service-kit/http'

/** A caller that sends too much is listened to this far, so that it can read why it was refused. */
const DRAIN_BYTES = 1024 * 1024

/** The whole body, at most 64 KiB; `null` when there is none. Throws `body_too_large`, or `malformed_request` when it breaks off. */
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
    // The caller went away: nobody's failure, and nobody reads the answer.
    throw new Refused('malformed_request', 'The body broke off')
  }
  if (size > BODY_LIMIT_BYTES) throw bodyTooLarge()
  return Buffer.concat(chunks, size)
}

/** The body as it comes, for passing on; it ends with `body_too_large` after 64 KiB. */
export async function* limitedBody(request: IncomingMessage): AsyncGenerator<Buffer> {
  let size = 0
  for await (const chunk of chunksOf(request)) {
    size += chunk.length
    if (size > BODY_LIMIT_BYTES) throw bodyTooLarge()
    yield chunk
  }
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Throws `body_too_large` when the caller says so itself: not a byte of it is read. */
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

/** A compressed body could be far larger than it looks. */
export function refuseEncodedBody({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity') throw new Refused('content_type_unsupported', 'The body must not be compressed')
}

/** Leaving the loop early must not cut the connection that the answer goes over. */
function chunksOf(request: IncomingMessage): AsyncIterable<Buffer> {
  return request.iterator({ destroyOnReturn: false })
}

function bodyTooLarge(): Refused {
  return new Refused('body_too_large', `The body is larger than ${BODY_LIMIT_BYTES / 1024} KiB`)
}
