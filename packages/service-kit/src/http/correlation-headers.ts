import { currentCorrelation, REQUEST_ID_HEADER } from '../logging/correlation.ts'
import { traceHeaders } from '../tracing/tracing.ts'

/** What every call to a neighbour carries: the id of the request that it is made for, and its trace while there is one. */
export function correlationHeaders(): Readonly<Record<string, string>> {
  const { requestId } = currentCorrelation()
  return requestId === undefined ? traceHeaders() : { [REQUEST_ID_HEADER]: requestId, ...traceHeaders() }
}
