import { PassThrough } from 'node:stream'

/** Writes as amqplib does: frames go into a stream, and to the socket in the immediate after they are readable there. */
export function testSocket() {
  const [sent, written]: [PassThrough, string[]] = [new PassThrough(), []]
  sent.on('readable', () => setImmediate(() => written.push(String(sent.read()))))
  return { written, send: (text: string) => sent.write(text) }
}
