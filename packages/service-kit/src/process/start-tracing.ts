import type { TracingConfig } from '../config/tracing.ts'
import type { Log } from '../logging/logger.ts'
import type { Stoppable } from './stoppable.ts'
import { setTracer } from '../tracing/tracing.ts'

/** Turns tracing on if it is configured, and only then loads the SDK. The returned part must stop last: it exports the rest. */
export async function startTracing(service: string, config: TracingConfig | undefined, log: Log): Promise<Stoppable[]> {
  if (!config) return []
  const { createTracing } = await import('../tracing/tracing-sdk.ts')
  const tracing = createTracing(service, config, log)
  setTracer(tracing.tracer)
  return [{ name: 'tracing', stop: () => tracing.stop() }]
}
