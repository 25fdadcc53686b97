/**
 * Awaited after a change is saved and logged: resolves when its event has been written to the broker's socket. amqplib takes what is
 * sent from a stream in the next tick, and writes it in the immediate after that. Answers, and the other transactions of a batch,
 * would hold the event back for longer than its way to the broker takes.
 */
export async function eventLeaves(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  process.nextTick(() => setImmediate(() => resolve(undefined)))
  return promise
}
