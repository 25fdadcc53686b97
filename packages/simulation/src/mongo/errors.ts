/** The codes that the model answers with. Source: https://github.com/mongodb/mongo/blob/master/src/mongo/base/error_codes.yml */
const NAMES = {
  6: 'HostUnreachable',
  67: 'CannotCreateIndex',
  133: 'FailedToSatisfyReadPreference',
  189: 'PrimarySteppedDown',
  225: 'TransactionTooOld',
  10107: 'NotWritablePrimary',
  11000: 'DuplicateKey',
  11602: 'InterruptedDueToReplStateChange',
  13435: 'NotPrimaryNoSecondaryOk',
} as const

/** Codes after which a driver may send a retryable write once more; the server labels them. */
const RETRYABLE: ReadonlySet<number> = new Set([189, 10107, 11602])

/** An error that the server answers a command, or one statement of it, with. */
export class ServerError extends Error {
  readonly code: keyof typeof NAMES
  /** Fields of the answer beside code and message, such as `keyPattern`. */
  readonly details: Readonly<Record<string, unknown>>

  constructor(code: keyof typeof NAMES, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.code = code
    this.details = details
  }

  /** The answer to a command that failed as a whole. */
  toReply(isRetryableWrite: boolean): Record<string, unknown> {
    const labels = isRetryableWrite && RETRYABLE.has(this.code) ? { errorLabels: ['RetryableWriteError'] } : {}
    return { ok: 0, ...this.toWriteConcernError(), ...this.details, ...labels }
  }

  /** The same as a write concern error beside a result. */
  toWriteConcernError(): Record<string, unknown> {
    return { code: this.code, codeName: NAMES[this.code], errmsg: this.message }
  }
}

/** The model does not have this, on purpose: to answer as if it had would be a wrong model. It ends the run. */
export class Unsupported extends Error {
  constructor(what: string) {
    super(`the simulated MongoDB does not support ${what}`)
  }
}
