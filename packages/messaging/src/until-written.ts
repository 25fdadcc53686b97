/**
 * Resolves when the messages published just before the call are written to the broker's socket, which takes about one turn of the
 * event loop. Await it before an answer or further work: otherwise those delay the messages for longer than the broker needs.
 * It does not wait for the confirm.
 */
export async function untilWritten(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  // amqplib puts frames into a stream, reads that stream in the next tick and writes to the socket in the immediate after it.
  process.nextTick(() => setImmediate(() => resolve(undefined)))
  return promise
}
