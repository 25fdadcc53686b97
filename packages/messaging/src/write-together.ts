import type { Writable } from 'node:stream'

/**
 * From now on, what one callback of the event loop writes to the stream leaves by one system call, right after that callback. amqplib
 * writes each message and each acknowledgement by itself, and Node makes a system call for each.
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
