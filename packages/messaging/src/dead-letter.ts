import type { IncomingMessage } from './incoming.ts'
import type { Publisher } from './publisher.ts'
import type { Queue } from './topology.ts'

/** Headers of a message in a dead queue, beside those it had. */
export const DEAD_REASON_HEADER = 'dead-reason'
export const DEAD_QUEUE_HEADER = 'dead-queue'
export const DEAD_ROUTING_KEY_HEADER = 'dead-routing-key'

/** A header is for people; a reason that quotes its message may be as long as that. */
const MAX_REASON_LENGTH = 500

/**
 * Publishes a dead message with its reason; resolves once it is stored, so that only then the original is acknowledged.
 * Published and not rejected to the dead letter exchange, since a rejection carries no reason.
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
