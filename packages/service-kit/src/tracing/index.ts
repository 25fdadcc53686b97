/** Traces of requests and messages. The OpenTelemetry SDK is only loaded when tracing is on. */
export * from './trace-context.ts'
export * from './trace-message.ts'
export * from './trace-work.ts'
export { beginSpan, setTracing, traceHeaders, type LiveSpan, type SpanStart, type Tracing } from './tracing.ts'
