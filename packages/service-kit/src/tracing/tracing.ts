import {
  propagation,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type SpanKind,
  type Tracer,
} from '@opentelemetry/api'
import { currentCorrelation } from '../logging/correlation.ts'

export interface SpanStart {
  readonly kind: SpanKind
  /** The span that this one belongs to; `undefined` starts a new trace. */
  readonly parent: Context | undefined
  /** A span of another trace that led to this one. */
  readonly link?: Context | undefined
  /** Milliseconds since 1970, for a span that began before it was recorded. */
  readonly startMs?: number
  /** Routes, statuses, queues and event ids only: never a person, a card, or an address that may hold a secret. */
  readonly attributes?: Attributes
}

export interface SpanEnd {
  /** Replaces the name, when only the end knows a better one. */
  readonly name?: string
  readonly attributes?: Attributes
  readonly failed?: boolean
}

/** A span that has begun. */
export interface LiveSpan {
  /** The parent of the spans that begin within this one. */
  readonly context: Context
  end(how?: SpanEnd): void
}

let tracer: Tracer | undefined

/** Turns tracing on for this process; `undefined` turns it off. */
export function setTracer(one: Tracer | undefined): void {
  tracer = one
}

export function isTracing(): boolean {
  return tracer !== undefined
}

/** Begins a span. Returns `undefined` while tracing is off: a span then costs one comparison. */
export function beginSpan(
  name: string,
  { kind, parent = ROOT_CONTEXT, link, startMs, attributes }: SpanStart,
): LiveSpan | undefined {
  if (!tracer) return undefined
  const linked = link && trace.getSpanContext(link)
  const options = {
    kind,
    ...(startMs !== undefined && { startTime: startMs }),
    ...(attributes && { attributes }),
    ...(linked && { links: [{ context: linked }] }),
  }
  const span = tracer.startSpan(name, options, parent)
  return {
    context: trace.setSpan(ROOT_CONTEXT, span),
    end({ name: betterName, attributes: more, failed } = {}) {
      if (betterName !== undefined) span.updateName(betterName)
      if (more) span.setAttributes(more)
      if (failed === true) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    },
  }
}

/** Of HTTP requests, of messages, and of entries in an outbox (W3C Trace Context level 1). */
const HEADER = 'traceparent'

/** The trace that headers or an outbox entry name. `undefined` while tracing is off, or when they name none. */
export function readTrace({ [HEADER]: header }: Readonly<Record<string, unknown>>): Context | undefined {
  // The propagator also takes later versions of the header, whose meaning is not known here.
  if (!tracer || typeof header !== 'string' || !header.startsWith('00-')) return undefined
  const context = propagation.extract(ROOT_CONTEXT, { [HEADER]: header })
  return trace.getSpanContext(context) && context
}

const NONE: Readonly<Record<string, string>> = Object.freeze({})

/** The trace of the current work, or of the given span, as headers for another service. Never sent to merchants. */
export function traceHeaders(span?: LiveSpan): Readonly<Record<string, string>> {
  const context = tracer && (span?.context ?? currentCorrelation().trace)
  if (!context) return NONE
  const headers: Record<string, string> = {}
  propagation.inject(context, headers)
  return headers
}
