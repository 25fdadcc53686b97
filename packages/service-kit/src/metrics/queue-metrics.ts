import { setTimeout as sleep } from 'node:timers/promises'
import { Gauge } from 'prom-client'
import type { Metrics } from './metrics.ts'

export interface QueueMetricsOptions {
  /** Queues whose depth is published. */
  readonly queues: readonly string[]
  /** Messages that wait in a queue; `undefined` when the queue does not exist. */
  readonly depth: (queue: string) => Promise<number | undefined>
  /** For each queue that this replica consumes: when the oldest unacknowledged message was published. */
  readonly oldestPublishedAtMs: () => readonly { readonly queue: string; readonly atMs: number | undefined }[]
  readonly now: () => Date
}

/** A scrape must not wait for a broker that does not answer. */
const DEPTH_WITHIN_MS = 1000

/** Publishes depth and oldest age of queues, read at each scrape. While the broker is away, depths are absent instead of zero. */
export function queueMetrics(metrics: Metrics, { queues, depth, oldestPublishedAtMs, now }: QueueMetricsOptions): void {
  const registers = [metrics.registry]
  new Gauge({
    name: 'queue_messages',
    help: 'Messages that wait in a queue, those in the hands of a replica excluded; the same from every replica',
    labelNames: ['queue'],
    registers,
    async collect() {
      this.reset()
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
      for (const { queue, atMs } of oldestPublishedAtMs())
        this.set({ queue }, atMs === undefined ? 0 : Math.max(0, (now().getTime() - atMs) / 1000))
    },
  })
}
