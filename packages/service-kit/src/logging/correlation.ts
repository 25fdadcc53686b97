import { AsyncLocalStorage } from 'node:async_hooks'
import type { Context } from '@opentelemetry/api'
import { pooledRandomBytes } from '@gateway/contracts'

/** Connects log lines: the request, and the payment that it belongs to. */
export interface Correlation {
  readonly requestId?: string
  readonly correlationId?: string
  /** OpenTelemetry's context: the span that the work belongs to. Only while tracing is on. */
  readonly trace?: Context | undefined
}

const storage = new AsyncLocalStorage<Correlation>()

/** Runs work so that every log line in it carries the ids. */
export function withCorrelation<T>(correlation: Correlation, work: () => T): T {
  return storage.run(correlation, work)
}

export function currentCorrelation(): Correlation {
  return storage.getStore() ?? {}
}

export const REQUEST_ID_HEADER = 'x-request-id'
const REQUEST_ID = /^[A-Za-z0-9._-]{8,64}$/u

/** The caller's request id if it is well-formed, else a new one. */
export function requestIdFrom(header: string | undefined): string {
  return header !== undefined && REQUEST_ID.test(header) ? header : newRequestId()
}

/** Not a UUID: log scanners take its runs of digits and dashes for card numbers. */
export function newRequestId(): string {
  return pooledRandomBytes(16).toString('base64url')
}
