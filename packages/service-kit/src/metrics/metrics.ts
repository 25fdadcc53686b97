import { setTimeout as sleep } from 'node:timers/promises'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { MasterKeys } from '../secrets/secrets.ts'

/** Metrics of every service. A service adds its own to `registry`. */
export interface Metrics {
  readonly registry: Registry
  readonly httpDuration: Histogram<'method' | 'route' | 'status'>
  readonly dependencyUp: Gauge<'dependency'>
  /** Counts situations that need a person, by kind. */
  readonly alerts: Counter<'kind'>
}

/** How often the delay of the event loop is sampled, in milliseconds. Each sample wakes an idle process; the default of 10 costs 5 ms of CPU a second. */
const LAG_SAMPLED_EVERY_MS = 50

export function createMetrics(service: string): Metrics {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_SAMPLED_EVERY_MS })
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

/** A gauge without labels whose value is read at each scrape. */
export function gaugeOf(
  { registry }: Pick<Metrics, 'registry'>,
  { name, help, read }: { name: string; help: string; read: () => number | Promise<number> },
): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      this.set(await read())
    },
  })
}

export interface QueueMetricsOptions {
  /** Queues that nobody consumes, such as dead queues. */
  readonly others: readonly string[]
  /** Messages that wait in a queue; `undefined` when the queue does not exist. */
  readonly depth: (queue: string) => Promise<number | undefined>
  /** For each queue that this replica consumes: when the oldest unacknowledged message was published. */
  readonly oldestPublishedAtMs: () => readonly { readonly queue: string; readonly atMs: number | undefined }[]
  readonly now: () => Date
}

/** A scrape must not wait for a broker that does not answer. */
const DEPTH_WITHIN_MS = 1000

/** Publishes depth and oldest age of queues, read at each scrape. While the broker is away, depths are absent instead of zero. */
export function queueMetrics(metrics: Metrics, { others, depth, oldestPublishedAtMs, now }: QueueMetricsOptions): void {
  const registers = [metrics.registry]
  new Gauge({
    name: 'queue_messages',
    help: 'Messages that wait in a queue, those in the hands of a replica excluded; the same from every replica',
    labelNames: ['queue'],
    registers,
    async collect() {
      this.reset()
      const queues = [...oldestPublishedAtMs().map(({ queue }) => queue), ...others]
      const depths = Promise.all(queues.map(async (queue) => ({ queue, count: await depth(queue) })))
      const found = await Promise.race([depths, sleep(DEPTH_WITHIN_MS, [], { ref: false })]).catch(() => [])
      for (const { queue, count } of found) if (count !== undefined) this.set({ queue }, count)
    },
  })
  new Gauge({
    name: 'queue_oldest_message_age_seconds',
    help: 'Age of the oldest message of a queue that this replica has in hand; 0 when it has none',
    labelNames: ['queue'],
    registers,
    collect() {
      this.reset()
      for (const { queue, atMs } of oldestPublishedAtMs())
        this.set({ queue }, atMs === undefined ? 0 : Math.max(0, (now().getTime() - atMs) / 1000))
    },
  })
}

/** Publishes which master keys a replica has. An old key may be removed only after every replica seals with the new one. */
export function masterKeyMetric({ registry }: Metrics, keys: MasterKeys): void {
  const gauge = new Gauge({
    name: 'master_keys',
    help: 'Master keys that this replica has, by id; seals="yes" for the one that seals',
    labelNames: ['key_id', 'seals'],
    registers: [registry],
  })
  for (const [index, keyId] of [...keys.keys()].entries()) gauge.set({ key_id: keyId, seals: index === 0 ? 'yes' : 'no' }, 1)
}
