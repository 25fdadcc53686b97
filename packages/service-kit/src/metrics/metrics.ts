import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

/** Metrics of every service. A service adds its own to `registry`. */
export interface Metrics {
  readonly registry: Registry
  readonly httpDuration: Histogram<'method' | 'route' | 'status'>
  readonly dependencyUp: Gauge<'dependency'>
  /** Counts situations that need a person, by kind. */
  readonly alerts: Counter<'kind'>
}

export function createMetrics(service: string): Metrics {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  collectDefaultMetrics({ register: registry })
  return {
    registry,
    httpDuration: new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Duration of HTTP requests',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
      registers: [registry],
    }),
    dependencyUp: new Gauge({
      name: 'dependency_up',
      help: '1 when the dependency can be used',
      labelNames: ['dependency'],
      registers: [registry],
    }),
    alerts: new Counter({
      name: 'alerts_total',
      help: 'Situations that a person has to look at',
      labelNames: ['kind'],
      registers: [registry],
    }),
  }
}
