/**
 * Resolves when the events that were submitted before are written to the broker's socket. amqplib reads its stream in the next
 * tick and writes in the immediate after that. Without this wait, the caller's answer would be written first.
 */
export async function eventLeaves(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  process.nextTick(() => setImmediate(() => resolve(undefined)))
  return promise
}
