import type { Stoppable } from '../process/lifecycle.ts'
import type { Log } from '../logging/logger.ts'
import { setTracing } from './tracing.ts'
import type { TracingConfig } from '../config/tracing.ts'

/** Turns tracing on if it is configured, and only then loads what it needs. What is returned stops last: it sends the rest. */
export async function startTracing(service: string, config: TracingConfig | undefined, log: Log): Promise<Stoppable[]> {
  if (!config) return []
  const { createTracing } = await import('./tracing-sdk.ts')
  const tracing = createTracing(service, config, log)
  setTracing(tracing)
  return [{ name: 'tracing', stop: () => tracing.stop() }]
}
