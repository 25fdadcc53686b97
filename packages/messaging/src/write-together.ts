import type { Writable } from 'node:stream'

/**
 * From now on, everything that is written to the stream in one turn of the event loop leaves by one system call, at the end of that
 * turn. amqplib writes each message and each acknowledgement by itself, and Node makes a system call for each.
 */
export function writeTogether(stream: Writable): void {
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean
  stream.write = (...args: unknown[]) => {
    if (stream.writableCorked === 0) {
      stream.cork()
      process.nextTick(() => stream.uncork())
    }
    return write(...args)
  }
}
