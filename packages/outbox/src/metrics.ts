import { Counter, type Registry } from 'prom-client'
import { gaugeOf } from '@gateway/service-kit'
import type { OutboxRelay } from './relay-options.ts'

/** How far publishing is behind; read from the relay at each scrape. */
export function outboxMetrics(registry: Registry, relay: Pick<OutboxRelay, 'stats'>): void {
  const [metrics, registers] = [{ registry }, [registry]]
  gaugeOf(metrics, {
    name: 'outbox_oldest_unpublished_age_seconds',
    help: 'Age of the oldest event that this replica knows to be unpublished; 0 when there is none',
    read: () => relay.stats().oldestUnpublishedAgeMs / 1000,
  })
  gaugeOf(metrics, {
    name: 'outbox_in_memory',
    help: 'Events that this replica is publishing or clearing',
    read: () => relay.stats().inMemory,
  })
  new Counter({
    ...{ name: 'outbox_events_total', labelNames: ['result'] as const, registers },
    help: 'Events by what became of them: published, failed (stays in its document), left_to_sweep (broker away, or too many)',
    collect() {
      const { published, failed, leftToSweep } = relay.stats()
      this.reset()
      for (const [result, count] of Object.entries({ published, failed, left_to_sweep: leftToSweep })) this.inc({ result }, count)
    },
  })
}
