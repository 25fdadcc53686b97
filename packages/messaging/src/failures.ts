import { AppError, Unavailable } from '@gateway/contracts'
import type { IncomingMessage } from './incoming.ts'

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
