import { AsyncLocalStorage } from 'node:async_hooks'
import { pooledRandomBytes } from '@gateway/contracts'

/** What ties log lines together: one request, and the payment that it belongs to. */
export interface Correlation {
  readonly requestId?: string
  readonly correlationId?: string
  /** Of the span that the work belongs to, while traces are on. */
  readonly traceparent?: string | undefined
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

/** The id that the caller's hop gave, if it looks like one, else a new one. */
export function requestIdFrom(header: string | undefined): string {
  return header !== undefined && REQUEST_ID.test(header) ? header : newRequestId()
}

/** No UUID: the dashes of one join its digits to runs in which log scanners see card numbers. */
export function newRequestId(): string {
  return pooledRandomBytes(16).toString('base64url')
}
