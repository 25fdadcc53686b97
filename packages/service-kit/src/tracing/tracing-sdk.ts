import { diag, DiagLogLevel, propagation, type Tracer } from '@opentelemetry/api'
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, ParentBasedSampler, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace'
import type { TracingConfig } from '../config/common.ts'
import { describeError } from '../logging/describe-error.ts'
import type { Log } from '../logging/logger.ts'

/** Spans that wait for a slow collector. Further ones are dropped; payments never wait for a collector. */
const MAX_QUEUED_SPANS = 8192
const MAX_BATCH_SIZE = 1024
const BATCH_EVERY_MS = 1000
const EXPORT_TIMEOUT_MS = 5000

export interface Tracing {
  readonly tracer: Tracer
  /** Exports the remaining spans. */
  stop(): Promise<void>
}

/** Starts OpenTelemetry's SDK. This module is only loaded when tracing is on; the SDK instruments no other library. */
export function createTracing(service: string, { endpoint, ratio }: TracingConfig, log: Log): Tracing {
  const warn = (message: string): void => log.warn('tracing', { message: message.slice(0, 500) })
  const ignore = (): void => undefined
  diag.setLogger({ error: warn, warn, info: ignore, debug: ignore, verbose: ignore }, DiagLogLevel.WARN)
  // The handler of the SDK would write the collector's answer to `diag`.
  setGlobalErrorHandler((error) => log.warn('tracing', { error: describeError(error) }))
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: EXPORT_TIMEOUT_MS })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: MAX_QUEUED_SPANS,
        maxExportBatchSize: MAX_BATCH_SIZE,
        scheduledDelayMillis: BATCH_EVERY_MS,
        exportTimeoutMillis: EXPORT_TIMEOUT_MS,
      }),
    ],
  })
  return { tracer: provider.getTracer('payment-gateway'), stop: () => provider.shutdown() }
}
