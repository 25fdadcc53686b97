/** Far above any webhook: a longer body is not genuine. */
export const MAX_BODY_BYTES = 256 * 1024

/** The whole body of a Node request; `undefined` when it is too long. Rejects when the connection breaks. */
export async function readStream(stream: AsyncIterable<unknown>): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of stream) {
    if (!(chunk instanceof Uint8Array)) throw new Error('the request has an encoding: read it before setEncoding is called')
    bytes += chunk.length
    // Reading goes on, so that the answer reaches the sender.
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk)
  }
  return bytes <= MAX_BODY_BYTES ? Buffer.concat(chunks) : undefined
}
