import { setTimeout as sleep } from 'node:timers/promises'
import { Gauge } from 'prom-client'
import type { QueueAdmin, Topology } from '@gateway/messaging'
import type { Metrics } from '@gateway/service-kit'
import type { Consumers } from './consumers/consumers.ts'

export interface QueueMetricsOptions {
  readonly declared: Topology
  readonly queueAdmin: Pick<QueueAdmin, 'depth'>
  readonly consumers: Pick<Consumers, 'oldestPublishedAtMs'>
  readonly now: () => Date
}

/** A scrape must not wait for a broker that is silent. */
const DEPTH_WITHIN_MS = 1000

/** How much waits and for how long, looked up at each scrape. While the broker is away the depths are left out, not zero. */
export function queueMetrics(metrics: Metrics, { declared, queueAdmin, consumers, now }: QueueMetricsOptions): void {
  const registers = [metrics.registry]
  const { statusChanged, retries, waits, parks, webhookDispatcherDead } = declared.queues
  const names = [statusChanged, retries, ...waits, ...parks, webhookDispatcherDead].map(({ name }) => name)
  new Gauge({
    name: 'webhook_queue_messages',
    help: 'Messages that wait in a queue, those in the hands of a replica excluded; the same from every replica',
    labelNames: ['queue'],
    registers,
    async collect() {
      this.reset()
      const depths = Promise.all(names.map(async (queue) => ({ queue, count: await queueAdmin.depth(queue) })))
      const found = await Promise.race([depths, sleep(DEPTH_WITHIN_MS, [], { ref: false })]).catch(() => [])
      for (const { queue, count } of found) if (count !== undefined) this.set({ queue }, count)
    },
  })
  new Gauge({
    name: 'webhook_oldest_message_age_seconds',
    help: 'Age of the oldest message of a queue that this replica has in hand; 0 when it has none',
    labelNames: ['queue'],
    registers,
    collect() {
      for (const { queue, atMs } of consumers.oldestPublishedAtMs())
        this.set({ queue }, atMs === undefined ? 0 : Math.max(0, (now().getTime() - atMs) / 1000))
    },
  })
}
