import type { IncomingMessage } from 'node:http'
import { MIMEType } from 'node:util'
import { Refused } from '@gateway/contracts'

/** The largest JSON body that any service reads, in bytes. */
export const BODY_LIMIT_BYTES = 64 * 1024
/** How much of a body that is too large is read and discarded, so that the client gets to read the refusal. */
const DRAIN_BYTES = 1024 * 1024

export interface BodyOptions {
  /** The media type that the body must have. By default any type in any charset is accepted, because only the bytes are used. */
  readonly type?: string | undefined
  readonly limitBytes?: number
}

/**
 * The bytes of a body; `undefined` when there are none. Throws `content_type_unsupported`, `body_too_large`, or `malformed_request`
 * for a body that ends too early. All routes read their bodies with it, with `readBytes`, or as a stream after `checkContent`.
 */
export async function readBody(
  request: IncomingMessage,
  { type, limitBytes = BODY_LIMIT_BYTES }: BodyOptions = {},
): Promise<Buffer | undefined> {
  checkContent(request, type)
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw bodyTooLarge(limitBytes)
  const bytes = hasBody(request) ? await readBytes(request, limitBytes) : undefined
  return bytes && bytes.length > 0 ? bytes : undefined
}

/**
 * Throws `content_type_unsupported` for a compressed body (it could be far larger than its `content-length`), and for one of another
 * media type or charset than `type` in UTF-8.
 */
export function checkContent(request: IncomingMessage, type?: string): void {
  if (!hasBody(request)) return
  const { 'content-type': contentType = '', 'content-encoding': encoding = 'identity' } = request.headers
  const isPlain = encoding.toLowerCase() === 'identity'
  if (isPlain && (type === undefined || isUtf8Of(type, contentType))) return
  const wanted = type === undefined ? '' : `${type} in UTF-8, and `
  throw new Refused('content_type_unsupported', `The body must be ${wanted}not compressed`)
}

function isUtf8Of(type: string, contentType: string): boolean {
  const parsed = parseType(contentType)
  return parsed?.essence === type && /^utf-?8$/iu.test(parsed.params.get('charset') ?? 'utf-8')
}

function parseType(contentType: string): MIMEType | undefined {
  try {
    return new MIMEType(contentType)
  } catch {
    return undefined
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Reads the whole body. Throws `body_too_large`, and `malformed_request` when the body is cut short. */
export function readBytes(request: IncomingMessage, limitBytes = BODY_LIMIT_BYTES): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    // `close` always follows. An error is only made when needed: making one costs more than reading the body.
    const breakOff = (): void => {
      if (!request.complete) reject(new Refused('malformed_request', 'The body was cut short'))
    }
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= limitBytes) chunks.push(chunk)
      else if (size > limitBytes + DRAIN_BYTES) {
        request.pause()
        reject(bodyTooLarge(limitBytes))
      }
    })
    request.once('error', breakOff)
    request.once('close', breakOff)
    request.once('end', () => {
      const [only] = chunks
      if (size > limitBytes) reject(bodyTooLarge(limitBytes))
      else resolve(chunks.length === 1 && only ? only : Buffer.concat(chunks))
    })
  })
}

function bodyTooLarge(limitBytes: number): Refused {
  return new Refused('body_too_large', `The body is larger than ${limitBytes / 1024} KiB`)
}
