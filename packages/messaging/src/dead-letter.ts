import type { IncomingMessage } from './incoming.ts'
import type { Publisher } from './publisher.ts'
import type { Queue } from './queue.ts'

/** Headers of a message in a dead queue, in addition to its own. */
const DEAD_REASON_HEADER = 'dead-reason'
const DEAD_QUEUE_HEADER = 'dead-queue'
const DEAD_ROUTING_KEY_HEADER = 'dead-routing-key'

/** People read the header; a reason that quotes its message could be as long as the message. */
const MAX_REASON_LENGTH = 500

/**
 * Publishes a message to the dead queue with its reason. Resolves once it is stored; only then may the original be acknowledged.
 * A rejection (`basic.reject`) would reach the dead queue too, but carries no reason.
 */
export async function publishDead(
  publisher: Publisher,
  queue: Pick<Queue, 'name' | 'deadRoute'>,
  message: IncomingMessage,
  reason: string,
): Promise<void> {
  const own = Object.entries(message.headers).filter(([name]) => !name.startsWith('x-'))
  await publisher.publish({
    ...queue.deadRoute,
    messageId: message.messageId,
    type: message.type,
    correlationId: message.correlationId,
    body: message.body,
    timestampMs: Date.now(),
    headers: {
      ...Object.fromEntries(own),
      [DEAD_REASON_HEADER]: reason.slice(0, MAX_REASON_LENGTH),
      [DEAD_QUEUE_HEADER]: queue.name,
      [DEAD_ROUTING_KEY_HEADER]: message.routingKey,
    },
  })
}
