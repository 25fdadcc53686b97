import { currentCorrelation } from '../logging/correlation.ts'

/** What a span is: one side of a call, of a message, or a stretch of time in between. */
export type SpanKind = 'server' | 'client' | 'producer' | 'consumer' | 'internal'

/** Nothing personal, no address that may hold a secret, no card data: routes, statuses, queues, ids of events. */
export type SpanAttributes = Readonly<Record<string, string | number | undefined>>

export interface SpanStart {
  readonly kind: SpanKind
  /** The `traceparent` of the span that this one belongs to; without it a new trace begins. */
  readonly parent: string | undefined
  /** The `traceparent` of somebody else's trace that led to this one. */
  readonly link?: string | undefined
  /** Milliseconds since 1970; a span may begin with something that was written long before. */
  readonly startMs?: number
  readonly attributes?: SpanAttributes
}

export interface SpanEnd {
  /** When only its end knows a better one. */
  readonly name?: string
  readonly attributes?: SpanAttributes
  readonly failed?: boolean
}

/** A span that has begun. */
export interface LiveSpan {
  /** What its children are told. */
  readonly traceparent: string
  end(how?: SpanEnd): void
}

/** Begins spans and sends them off when they have ended. */
export interface Tracing {
  begin(name: string, start: SpanStart): LiveSpan
  /** Sends what is left. */
  stop(): Promise<void>
}

let tracing: Tracing | undefined

/** Of this process, from now on; `undefined` turns it off. There is one, as there is one log. */
export function setTracing(one: Tracing | undefined): void {
  tracing = one
}

/** `undefined` while nothing is traced: then a span costs one comparison. */
export function beginSpan(name: string, start: SpanStart): LiveSpan | undefined {
  return tracing?.begin(name, start)
}

export function isTracing(): boolean {
  return tracing !== undefined
}

const NONE: Readonly<Record<string, string>> = Object.freeze({})

/** What a request to a neighbour says of the trace that it belongs to. Never sent to merchants. */
export function traceHeaders(): Readonly<Record<string, string>> {
  const traceparent = tracing && currentCorrelation().traceparent
  return traceparent === undefined ? NONE : { traceparent }
}
