import type { Order, ProblemCode } from './generated/types.ts'
import type { Open } from './open.ts'

/** Shared by the ESM and the CommonJS copy of this package, so that `instanceof` works across both. */
const BRAND = Symbol.for('@gateway/sdk/error')

/** The base of every error of this package. `instanceof` is true also for errors of another copy of the package. */
export class GatewayError extends Error {
  override readonly name: string
  readonly [BRAND]: readonly string[]

  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.kind
    this[BRAND] = kindsOf(new.target)
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    if (typeof value !== 'object' || value === null || !(BRAND in value)) return false
    const kinds: unknown = value[BRAND]
    return Array.isArray(kinds) && kinds.includes(this.kind)
  }

  /** The name that `instanceof` compares. It survives minification, which renames classes. */
  static readonly kind: string = 'GatewayError'
}

/** The kinds of a class and of every class that it extends. */
function kindsOf(target: typeof GatewayError): string[] {
  const kinds = []
  for (let one: unknown = target; isErrorClass(one); one = Object.getPrototypeOf(one)) kinds.push(one.kind)
  return kinds
}

function isErrorClass(value: unknown): value is typeof GatewayError {
  return typeof value === 'function' && 'kind' in value
}

/** One invalid field of a request. */
export interface FieldError {
  /** A JSON pointer (RFC 6901), such as `/customer/phone`. */
  readonly field: string
  readonly message: string
}

/** `unexpected_answer`: the answer did not come from the gateway. */
type ApiErrorCode = Open<ProblemCode | 'unexpected_answer'>

/** What an answer says about a refused request. */
export interface ApiErrorDetails {
  readonly code: ApiErrorCode
  readonly status: number
  readonly errors?: readonly FieldError[]
  readonly requestId?: string | undefined
  readonly retryAfterMs?: number | undefined
}

/** The gateway refused a request. `code` is stable and meant for programs; the message is for people. */
export class ApiError extends GatewayError {
  static override readonly kind: string = 'ApiError'
  /** Such as `order_id_conflict`, or `unexpected_answer` when the answer did not come from the gateway. */
  readonly code: ApiErrorCode
  /** The HTTP status. */
  readonly status: number
  /** Every invalid field; empty unless the code is `validation_failed`. */
  readonly errors: readonly FieldError[]
  /** Quote it when you ask us about this request. */
  readonly requestId: string | undefined
  /** How long the gateway asks callers to wait (`Retry-After`), in milliseconds. */
  readonly retryAfterMs: number | undefined

  constructor(message: string, { code, status, errors = [], requestId, retryAfterMs }: ApiErrorDetails) {
    super(message)
    this.code = code
    this.status = status
    this.errors = errors
    this.requestId = requestId
    this.retryAfterMs = retryAfterMs
  }
}

/** The gateway could not be reached, or the connection broke before the whole answer had arrived. */
export class ConnectionError extends GatewayError {
  static override readonly kind: string = 'ConnectionError'
  /** True when the gateway may have received the request. False when the request was certainly not sent. */
  readonly outcomeUnknown: boolean

  constructor(message: string, { outcomeUnknown, cause }: { outcomeUnknown: boolean; cause?: unknown }) {
    super(message, { cause })
    this.outcomeUnknown = outcomeUnknown
  }
}

/** The answer did not arrive within `timeoutMs`. The gateway may have received the request. */
export class TimeoutError extends GatewayError {
  static override readonly kind: string = 'TimeoutError'
  readonly outcomeUnknown = true
}

/** `waitForFinal` stopped waiting. This is not a failure of the payment, which may still end either way. */
export class WaitTimeout extends GatewayError {
  static override readonly kind: string = 'WaitTimeout'
  /** The order as it was last seen; `undefined` when no search was answered. */
  readonly last: Order | undefined

  constructor(message: string, last: Order | undefined) {
    super(message)
    this.last = last
  }
}

/** Another process, or another request, is handling this webhook. It is answered with 500, and the gateway sends it again. */
export class DuplicateInFlightError extends GatewayError {
  static override readonly kind: string = 'DuplicateInFlightError'
  /** `webhook-id`. */
  readonly eventId: string

  constructor(eventId: string) {
    super(`Webhook ${eventId} is being handled by another process`)
    this.eventId = eventId
  }
}

/** Why a webhook is not genuine. */
export type SignatureErrorReason =
  'header_missing' | 'timestamp_invalid' | 'timestamp_too_old' | 'timestamp_too_new' | 'signature_mismatch' | 'body_too_long'

/** A webhook that the gateway did not sign with one of the given secrets within the last five minutes. */
export class SignatureError extends GatewayError {
  static override readonly kind: string = 'SignatureError'
  readonly reason: SignatureErrorReason

  constructor(message: string, reason: SignatureErrorReason) {
    super(message)
    this.reason = reason
  }
}
