import { randomBytes } from 'node:crypto'
import { Gauge } from 'prom-client'
import type { Broker, Publisher, Topology } from '@gateway/messaging'
import type { Metrics, Stoppable } from '@gateway/service-kit'
import type { Consumers } from '../consumers/consumers.ts'
import { startCopiesConsumer } from '../consumers/copies.ts'
import { makeOpenListenSession, type OpenListenSession } from '../use-cases/open-listen-session.ts'
import { makeStoreCopy } from '../use-cases/store-copies.ts'
import type { Parts } from './parts.ts'

/** The share of the shutdown deadline in which copies that were received are stored. */
const DRAIN_SHARE = 0.7

/** The use case behind the merchants' listen route. */
export function composeListening(parts: Parts, metrics: Metrics): OpenListenSession {
  const { copies, listenSecrets, sealer, now } = parts
  const open = makeOpenListenSession({ copies, listenSecrets, sealer, randomBytes, now })
  new Gauge({
    name: 'webhook_listen_sessions',
    help: 'Open sessions of merchants that listen to copies of their webhooks (sandbox)',
    registers: [metrics.registry],
    collect() {
      this.set(open.open)
    },
  })
  return open
}

/** Starts the consumer of copies where the topology has their queue: in the sandbox. */
export function startCopies(
  parts: Parts,
  { broker, publisher, declared }: { broker: Broker; publisher: Publisher; declared: Topology },
  { areFirstAttemptsQueued: isBusy }: Pick<Consumers, 'areFirstAttemptsQueued'>,
): Stoppable[] {
  const queue = declared.queues.copies
  if (!queue) return []
  const consumer = startCopiesConsumer({
    broker,
    publisher,
    queue,
    storeCopy: makeStoreCopy({ ...parts, isBusy }),
    log: parts.log,
  })
  return [{ name: 'copies', stop: (deadlineMs) => consumer.stop({ deadlineMs: deadlineMs * DRAIN_SHARE }) }]
}
