import type { IncomingMessage } from 'node:http'
import { MIMEType } from 'node:util'
import { parse, type ParsedUrlQuery } from 'node:querystring'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { Refused, refuseHalfCharacters, utf8Text } from '@gateway/contracts'

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

export const JSON_TYPE = 'application/json'
const FORM_TYPE = 'application/x-www-form-urlencoded'

/** Reads a JSON body into `request.body`, which stays `undefined` without one. */
export const readJson: RequestHandler = async (request, _response, next) => {
  const bytes = await readBody(request, { type: JSON_TYPE })
  if (bytes) request.body = parseJson(bytes)
  next()
}

/** Reads a form of a page into `request.body`, an object of texts; a name that came twice has a list. */
export function formReader({ limitBytes, maxFields }: { readonly limitBytes: number; readonly maxFields: number }) {
  return async <P>(request: Request<P>, _response: Response, next: NextFunction): Promise<void> => {
    const bytes = await readBody(request, { type: FORM_TYPE, limitBytes })
    request.body = bytes ? parseForm(bytes, maxFields) : {}
    next()
  }
}

/** Accepts objects and arrays only. Throws `body_not_utf8`, `malformed_json`, and `ValidationFailed` for half of a character. */
export function parseJson(bytes: Buffer): object {
  const text = textOf(bytes)
  const parsed = jsonOf(text)
  if (typeof parsed !== 'object' || parsed === null) throw new Refused('malformed_json', 'The body is not valid JSON')
  refuseHalfCharacters(text, parsed)
  return parsed
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function parseForm(bytes: Buffer, maxFields: number): object {
  const text = textOf(bytes)
  if (!isDecodable(text)) throw new Refused('body_not_utf8', 'The form is not percent-encoded UTF-8')
  if (text.split('&').length > maxFields) throw new Refused('malformed_request', `The form has more than ${maxFields} fields`)
  return { ...parse(text) }
}

function textOf(bytes: Buffer): string {
  const text = utf8Text(bytes)
  if (text === undefined) throw new Refused('body_not_utf8', 'The body is not UTF-8')
  return text
}

/** A time with its zone in which the plus of the zone is a space: `+` stands for a space in a query. */
const TIME_WITHOUT_PLUS = /^(\d{4}-\d{2}-\d{2}T[\d:.]{4,20}) (\d{2}:\d{2})$/iu

/** True for text whose percent-encoding stands for well-formed UTF-8. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** Throws `malformed_request` for an address with other characters than ASCII, or with percent-encoding that is not UTF-8. */
export function checkAddress({ url = '' }: Pick<IncomingMessage, 'url'>): void {
  if (/^[!-~]*$/u.test(url) && isDecodable(url)) return
  throw new Refused('malformed_request', 'The address must be ASCII; other characters are percent-encoded UTF-8')
}

/**
 * The parameters of a query, for all routes of all services. Throws `malformed_request` for percent-encoding that is not UTF-8. In a
 * time, a space where the plus of the zone belongs is read as that plus.
 */
export function readQuery(query: string | null | undefined): ParsedUrlQuery {
  checkAddress({ url: query ?? '' })
  const read = (value: string): string => value.replace(TIME_WITHOUT_PLUS, '$1+$2')
  const given = Object.entries(parse(query ?? ''))
  return Object.fromEntries(given.map(([name, value = '']) => [name, Array.isArray(value) ? value.map(read) : read(value)]))
}
