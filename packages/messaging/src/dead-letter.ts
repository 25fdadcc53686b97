import { AppError, Unavailable } from '@gateway/contracts'
import type { IncomingMessage } from './message.ts'
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

/** Counts the failures of each message in the memory of one consumer, and says when to give the message up. */
export interface Failures {
  /** True when the message has failed too often for a reason of its own. Temporary errors do not count. */
  isFinal(message: IncomingMessage, error: unknown): boolean
  /** The message was handled. */
  forget(message: IncomingMessage): void
}

/** With the pauses between them, about three seconds: enough for a deadlock or a race with another replica. */
const MAX_FAILURES = 5
/** A message that another replica has handled meanwhile is never forgotten otherwise. */
const MAX_REMEMBERED = 10_000

/**
 * A temporary error says nothing about the message: the broker, or another part that the handler needs, is away.
 * @param isTemporary recognises errors that this package does not know, such as those of a database
 */
export function createFailures(isTemporary: (error: unknown) => boolean): Failures {
  const counts = new Map<string, number>()
  return {
    isFinal({ messageId }, error) {
      if (error instanceof Unavailable || isTemporary(error)) return false
      const count = (counts.get(messageId) ?? 0) + 1
      counts.delete(messageId)
      if (count >= MAX_FAILURES) return true
      counts.set(messageId, count)
      const [oldest] = counts.keys()
      if (counts.size > MAX_REMEMBERED && oldest !== undefined) counts.delete(oldest)
      return false
    },
    forget: ({ messageId }) => void counts.delete(messageId),
  }
}

/** For the header of a dead-lettered message: the kind of the error. Its text, which may quote data, is only in the log. */
export function failureReason(error: unknown): string {
  if (error instanceof AppError) return `handler_failed: ${error.code}`
  return `handler_failed: ${error instanceof Error ? error.name : typeof error}`
}
