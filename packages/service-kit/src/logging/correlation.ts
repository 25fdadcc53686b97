import { AsyncLocalStorage } from 'node:async_hooks'
import type { Context } from '@opentelemetry/api'
import { holdsCardNumber, pooledRandomBytes } from '@gateway/contracts'

/** Connects log lines: the request, and the payment that it belongs to. */
export interface Correlation {
  readonly requestId?: string
  readonly correlationId?: string
  /** OpenTelemetry's context: the span that the work belongs to. Only while tracing is on. */
  readonly trace?: Context | undefined
  /** Of a request only. */
  readonly caller?: Caller
}

/** What becomes known about the caller while its request is handled; for the request's log line and for the audit. */
export interface Caller {
  /** The merchant's credential. */
  credentialId?: string | undefined
  /** The service that called an internal route. */
  service?: string | undefined
  /** The name of an operator. */
  operator?: string | undefined
  /** The client's network: the first 24 bits of an IPv4 address, the first 48 of an IPv6 address. */
  addressPrefix?: string | undefined
}

/** Adds to what is known about the caller of the current request. */
export function noteCaller(facts: Caller): void {
  Object.assign(currentCorrelation().caller ?? {}, facts)
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
/** Set by the gateway alone; it passes no such header on from a client. */
export const ADDRESS_PREFIX_HEADER = 'x-address-prefix'
const REQUEST_ID = /^[A-Za-z0-9._-]{8,64}$/u
const MANY_DIGITS = /(?:\d[._-]?){13}/u

/** The caller's request id if it is well-formed and holds no card number, since logs and events repeat it; else a new one. */
export function requestIdFrom(header: string | undefined): string {
  if (header === undefined || !REQUEST_ID.test(header)) return newRequestId()
  return MANY_DIGITS.test(header) && holdsCardNumber(header, 'issued') ? newRequestId() : header
}

/** Not a UUID: log scanners take its runs of digits and dashes for card numbers. */
export function newRequestId(): string {
  return pooledRandomBytes(16).toString('base64url')
}
