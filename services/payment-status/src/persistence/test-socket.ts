import { PassThrough } from 'node:stream'

/** Writes like amqplib's connection: through a stream, and to the socket in the immediate after the stream is readable. */
export function testSocket() {
  const [sent, written]: [PassThrough, string[]] = [new PassThrough(), []]
  sent.on('readable', () => setImmediate(() => written.push(String(sent.read()))))
  return { written, send: (text: string) => sent.write(text) }
}
