import { currentCorrelation, REQUEST_ID_HEADER } from '../logging/correlation.ts'
import { traceHeaders } from '../tracing/tracing.ts'

/** Headers of every call to another service: the current request id and, while tracing is on, the trace. */
export function correlationHeaders(): Readonly<Record<string, string>> {
  const { requestId } = currentCorrelation()
  return requestId === undefined ? traceHeaders() : { [REQUEST_ID_HEADER]: requestId, ...traceHeaders() }
}
