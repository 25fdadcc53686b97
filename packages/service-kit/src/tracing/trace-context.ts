/** Where a span stands, as W3C Trace Context level 1 writes it into one header: `00-<trace id>-<span id>-<flags>`. */
export interface TraceContext {
  /** 32 hexadecimal digits, not all 0. */
  readonly traceId: string
  /** 16 hexadecimal digits, not all 0. */
  readonly spanId: string
  /** Bit 0: the trace is recorded. */
  readonly traceFlags: number
}

/** Of HTTP requests, of messages, and of entries in an outbox. */
export const TRACEPARENT_HEADER = 'traceparent'

const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/u

/** `undefined` for whatever is none. Later versions are not guessed at: their traces begin anew here. */
export function parseTraceparent(text: unknown): TraceContext | undefined {
  const [, traceId, spanId, flags] = (typeof text === 'string' ? TRACEPARENT.exec(text) : null) ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  return { traceId, spanId, traceFlags: parseInt(flags, 16) & 1 }
}

export function formatTraceparent({ traceId, spanId, traceFlags }: TraceContext): string {
  return `00-${traceId}-${spanId}-0${traceFlags & 1}`
}

/** The trace that a `traceparent` of ours belongs to. */
export function traceIdOf(traceparent: string): string {
  return traceparent.slice(3, 35)
}
