import type { ProblemCode } from './problems.ts'

/** An error with a stable code; only the error middleware maps codes to HTTP statuses. */
export abstract class AppError extends Error {
  abstract readonly code: ProblemCode
}

/** A failure inside a service. It has no code for callers; the log shows its message, which holds no value that a caller sent. */
export class Fault extends Error {}

export interface FieldError {
  /** A JSON pointer (RFC 6901) to the bad field; `/` for the whole body. */
  readonly field: string
  readonly message: string
}

/** Input that does not fit its schema; it lists every bad field. */
export class ValidationFailed extends AppError {
  readonly code = 'validation_failed'
  readonly errors: readonly FieldError[]

  constructor(errors: readonly FieldError[]) {
    super('The request has fields that are not valid')
    this.errors = errors
  }
}

/** A request that is refused for the reason of its code; the detail may be shown to the caller. */
export class Refused<Code extends ProblemCode = ProblemCode> extends AppError {
  readonly code: Code

  constructor(code: Code, detail: string) {
    super(detail)
    this.code = code
  }
}

/** A service or engine that the answer needs is unavailable; the caller may try again. */
export class Unavailable extends AppError {
  readonly code: ProblemCode
  readonly retryAfterSeconds: number

  constructor(code: ProblemCode, detail: string, options: { retryAfterSeconds?: number; cause?: unknown } = {}) {
    super(detail, { cause: options.cause })
    this.code = code
    this.retryAfterSeconds = options.retryAfterSeconds ?? 1
  }
}
