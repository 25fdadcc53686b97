/** Traces of requests and messages. The OpenTelemetry SDK is only loaded when tracing is on. */
export { SpanKind } from '@opentelemetry/api'
export { handleMessage, messageTraceHeaders, traceWork } from './trace-work.ts'
export { beginSpan, readTrace, setTracer, traceHeaders, type LiveSpan } from './tracing.ts'
