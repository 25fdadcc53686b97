/** Errors name what went wrong by a stable code; only the error middleware knows HTTP. */
export abstract class AppError extends Error {
  abstract readonly code: string
}

export interface FieldError {
  /** A JSON pointer (RFC 6901) to the bad field; `/` for the whole body. */
  readonly field: string
  readonly message: string
}

/** Input that does not fit its schema: every bad field at once. */
export class ValidationFailed extends AppError {
  readonly code = 'validation_failed'
  readonly errors: readonly FieldError[]

  constructor(errors: readonly FieldError[]) {
    super('The request has fields that are not valid')
    this.errors = errors
  }
}

/** A failure whose code says it all; the detail may be shown to the caller. */
export class Refused<Code extends string = string> extends AppError {
  readonly code: Code

  constructor(code: Code, detail: string) {
    super(detail)
    this.code = code
  }
}

/** Something that this answer depends on is away; the caller may try again. */
export class Unavailable extends AppError {
  readonly code: string
  readonly retryAfterSeconds: number

  constructor(code: string, detail: string, options: { retryAfterSeconds?: number; cause?: unknown } = {}) {
    super(detail, { cause: options.cause })
    this.code = code
    this.retryAfterSeconds = options.retryAfterSeconds ?? 1
  }
}
