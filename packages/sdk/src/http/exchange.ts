import { readBody } from '../encoding.ts'
import { ApiError, ConnectionError, TimeoutError, type FieldError } from '../errors.ts'
import { describeNetworkError, networkCodeOf } from './network-errors.ts'

export interface Answer {
  readonly status: number
  /** The parsed JSON; its shape is that of the API's documentation and is not checked. */
  readonly body: unknown
}

export interface Exchange {
  readonly fetch: typeof fetch
  readonly url: string
  readonly init: RequestInit
  readonly timeoutMs: number
  readonly nowMs: number
}

/** Far above any answer of the gateway. */
const MAX_BODY_BYTES = 16 * 1024 * 1024

/** The request was certainly not sent: the name, the connection or its encryption failed. */
const NOT_SENT =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_.*|ERR_TLS_.*|.*_CERT|.*_CERT_.*)$/u

/** One request and its whole answer. Throws `ApiError`, `ConnectionError` or `TimeoutError`; follows no redirect. */
export async function exchange({ fetch, url, init, timeoutMs, nowMs }: Exchange): Promise<Answer> {
  const signal = AbortSignal.timeout(Math.max(1, Math.ceil(timeoutMs)))
  let response
  let text
  try {
    response = await fetch(url, { ...init, signal, redirect: 'manual' })
    text = await readText(response)
  } catch (cause) {
    throw signal.aborted ? timeoutError(url, timeoutMs, cause) : connectionError(url, cause)
  }
  const body = parse(text)
  if (response.ok && body.isJson) return { status: response.status, body: body.value }
  throw apiError(response, body.value, nowMs)
}

/** One request whose answer is not read: `timeoutMs` ends with its headers. Throws like `exchange`. */
export async function exchangeStream({ fetch, url, init, timeoutMs, nowMs }: Exchange): Promise<ReadableStream<Uint8Array>> {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), Math.max(1, Math.ceil(timeoutMs)))
  try {
    const response = await fetch(url, { ...init, signal: controller.signal, redirect: 'manual' })
    const stream: ReadableStream<Uint8Array> | null = response.body
    if (response.ok && stream) return stream
    throw apiError(response, parse(await readText(response)).value, nowMs)
  } catch (cause) {
    if (cause instanceof ApiError) throw cause
    throw controller.signal.aborted ? timeoutError(url, timeoutMs, cause) : connectionError(url, cause)
  } finally {
    clearTimeout(timer)
  }
}

async function readText(response: Response): Promise<string> {
  const bytes = await readBody(response, MAX_BODY_BYTES)
  if (!bytes) throw new Error(`the answer is larger than ${MAX_BODY_BYTES} bytes`)
  return new TextDecoder().decode(bytes)
}

function parse(text: string): { readonly isJson: boolean; readonly value?: unknown } {
  if (text === '') return { isJson: true, value: undefined }
  try {
    return { isJson: true, value: JSON.parse(text) }
  } catch {
    return { isJson: false }
  }
}

function timeoutError(url: string, timeoutMs: number, cause: unknown): TimeoutError {
  return new TimeoutError(`The gateway at ${new URL(url).origin} did not answer within ${Math.ceil(timeoutMs)} ms`, { cause })
}

function connectionError(url: string, cause: unknown): ConnectionError {
  const code = networkCodeOf(cause)
  return new ConnectionError(`The gateway at ${new URL(url).origin} could not be reached: ${describeNetworkError(cause)}`, {
    outcomeUnknown: code === undefined || !NOT_SENT.test(code),
    cause,
  })
}

interface Problem {
  readonly code: string
  readonly detail: string
  readonly errors?: readonly FieldError[]
  readonly request_id?: string
}

function apiError({ status, headers }: Response, body: unknown, nowMs: number): ApiError {
  const retryAfterMs = readRetryAfter(headers.get('retry-after'), nowMs)
  const requestId = headers.get('x-request-id') ?? undefined
  if (!isProblem(body)) {
    const message = `The answer with status ${status} did not come from the gateway; check baseUrl`
    return new ApiError(message, { code: 'unexpected_answer', status, requestId, retryAfterMs })
  }
  const { code, detail, errors = [], request_id = requestId } = body
  const fields = errors.map(({ field, message }) => `${field} ${message}`).join('; ')
  const message = fields === '' ? detail : `${detail}: ${fields}`
  return new ApiError(message, { code, status, errors, requestId: request_id, retryAfterMs })
}

function isProblem(body: unknown): body is Problem {
  if (typeof body !== 'object' || body === null) return false
  return 'code' in body && typeof body.code === 'string' && 'detail' in body && typeof body.detail === 'string'
}

/** `Retry-After` (RFC 9110, section 10.2.3) in milliseconds: seconds, or a date. */
export function readRetryAfter(value: string | null, nowMs: number): number | undefined {
  if (value === null) return undefined
  if (/^\d{1,9}$/u.test(value)) return Number(value) * 1000
  // A date has a colon; `Date.parse` would also read -1 as a year.
  const atMs = value.includes(':') ? Date.parse(value) : Number.NaN
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs)
}
