import { diag, DiagLogLevel, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Context, type Tracer } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, ParentBasedSampler, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace'
import type { Log } from '../logging/logger.ts'
import { formatTraceparent, parseTraceparent } from './trace-context.ts'
import type { LiveSpan, SpanStart, Tracing } from './tracing.ts'
import type { TracingConfig } from '../config/tracing.ts'

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const

/** So many spans wait in memory for a collector that is slow; more are dropped, never a payment. */
const MAX_WAITING_SPANS = 8192
const MAX_BATCH = 1024
const BATCH_EVERY_MS = 1000
const EXPORT_WITHIN_MS = 5000

/** OpenTelemetry's SDK. Loaded only where traces are on; nothing of it is global, and it changes no other library. */
export function createTracing(service: string, { endpoint, ratio }: TracingConfig, log: Log): Tracing {
  const warn = (message: string): void => log.warn('tracing', { message: message.slice(0, 500) })
  const nothing = (): void => undefined
  diag.setLogger({ error: warn, warn, info: nothing, debug: nothing, verbose: nothing }, DiagLogLevel.WARN)
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: EXPORT_WITHIN_MS })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: MAX_WAITING_SPANS,
        maxExportBatchSize: MAX_BATCH,
        scheduledDelayMillis: BATCH_EVERY_MS,
        exportTimeoutMillis: EXPORT_WITHIN_MS,
      }),
    ],
  })
  const tracer = provider.getTracer('payment-gateway')
  return { begin: (name, start) => begin(tracer, name, start), stop: () => provider.shutdown() }
}

function begin(tracer: Tracer, name: string, { kind, parent, link, startMs, attributes }: SpanStart): LiveSpan {
  const linked = parseTraceparent(link)
  const options = {
    kind: KINDS[kind],
    ...(startMs === undefined ? {} : { startTime: startMs }),
    ...(attributes ? { attributes } : {}),
    ...(linked ? { links: [{ context: { ...linked, isRemote: true } }] } : {}),
  }
  const span = tracer.startSpan(name, options, contextOf(parent))
  return {
    traceparent: formatTraceparent(span.spanContext()),
    end({ name: better, attributes: more, failed } = {}) {
      if (better !== undefined) span.updateName(better)
      if (more) for (const [key, value] of Object.entries(more)) if (value !== undefined) span.setAttribute(key, value)
      if (failed === true) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    },
  }
}

/** Where the parent is: the contexts of the SDK are not used, since ours travel with the correlation. */
function contextOf(parent: string | undefined): Context {
  const context = parseTraceparent(parent)
  return context ? trace.setSpanContext(ROOT_CONTEXT, { ...context, isRemote: true }) : ROOT_CONTEXT
}
