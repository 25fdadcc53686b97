/** Far above any webhook: a longer body is not genuine. */
export const MAX_BODY_BYTES = 256 * 1024
/** How much of a too long body is read and dropped: many senders read the answer only after they have sent the whole body. */
const MAX_DROPPED_BYTES = 1024 * 1024

/**
 * The whole body of a Node request; `undefined` when it is too long. Reading then ends, and the caller closes the connection.
 * Rejects when the connection breaks.
 */
export async function readStream(stream: AsyncIterable<unknown>): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  // No `for await`: leaving it early would destroy the request, and with it the connection, before the answer is sent.
  const reader: AsyncIterator<unknown, unknown> = stream[Symbol.asyncIterator]()
  while (bytes <= MAX_BODY_BYTES + MAX_DROPPED_BYTES) {
    const { done, value } = await reader.next()
    if (done === true) return bytes <= MAX_BODY_BYTES ? Buffer.concat(chunks) : undefined
    if (!(value instanceof Uint8Array)) throw new Error('the request has an encoding: read it before setEncoding is called')
    bytes += value.length
    if (bytes <= MAX_BODY_BYTES) chunks.push(value)
  }
  return undefined
}
