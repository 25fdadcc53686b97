import { PassThrough } from 'node:stream'

/** As amqplib's connection writes: what is sent goes through a stream, and to the socket in the immediate after it is readable there. */
export function testSocket() {
  const [sent, written]: [PassThrough, string[]] = [new PassThrough(), []]
  sent.on('readable', () => setImmediate(() => written.push(String(sent.read()))))
  return { written, send: (text: string) => sent.write(text) }
}
