import { CommanderError } from 'commander'
import { CertifyError } from '@gateway/certify/certify'
import { ApiError, ConnectionError, GatewayError, TimeoutError, WaitTimeout } from '@gateway/sdk'

/** What the exit code of `pgw` says. Scripts rely on the numbers. */
export const EXIT = {
  ok: 0,
  /** The command worked, and its answer is no: not found, failed, not genuine. */
  negative: 1,
  usage: 2,
  authentication: 3,
  /** The gateway refused the request. */
  refused: 4,
  /** The gateway could not be reached, or failed. */
  unavailable: 5,
  waitTimeout: 6,
  interrupted: 130,
} as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** A mistake of the user, or a negative result: one sentence and an exit code, never a stack trace. */
export class CliError extends Error {
  readonly exitCode: ExitCode

  constructor(message: string, exitCode: ExitCode = EXIT.usage) {
    super(message)
    this.exitCode = exitCode
  }
}

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CliError) return error.exitCode
  if (error instanceof CertifyError) return error.isUnavailable ? EXIT.unavailable : EXIT.usage
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
  if (error instanceof WaitTimeout) return EXIT.waitTimeout
  if (error instanceof ApiError) return ofRefusal(error)
  if (error instanceof ConnectionError || error instanceof TimeoutError) return EXIT.unavailable
  return error instanceof GatewayError ? EXIT.usage : EXIT.unavailable
}

function ofRefusal({ status, code }: ApiError): ExitCode {
  if (status === 401) return EXIT.authentication
  if (status === 404 && code.endsWith('_not_found')) return EXIT.negative
  return status >= 400 && status < 500 ? EXIT.refused : EXIT.unavailable
}

/** One sentence for people. */
export function messageOf(error: unknown): string {
  if (error instanceof ApiError) {
    const request = error.requestId === undefined ? '' : `, request ${error.requestId}`
    return `${error.message} (${error.code}${request})`
  }
  return error instanceof Error ? error.message : String(error)
}
