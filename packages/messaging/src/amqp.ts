/**
 * What a connection needs beyond the API of amqplib: a heartbeat, few system calls, one promise for the end, and a close that cannot
 * hang.
 */
import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Writable } from 'node:stream'
import { connect, type ChannelModel } from 'amqplib'

const CONNECT_TIMEOUT_MS = 10_000
const HANG_UP_TIMEOUT_MS = 1_000
/** A silent broker is noticed after two of these. */
const HEARTBEAT_SECONDS = 10

/** Opens one connection. `name` is shown by the broker's tools. */
export async function openConnection(url: string, name: string): Promise<ChannelModel> {
  const model = await connect(withHeartbeat(url), {
    timeout: CONNECT_TIMEOUT_MS,
    noDelay: true,
    keepAlive: true,
    clientProperties: { connection_name: name },
  })
  const socket = socketOf(model)
  if (socket) writeTogether(socket)
  return model
}

/** Resolves with the reason when the connection has ended. Without its listeners, amqplib would throw these errors. */
export function endOf(model: ChannelModel): Promise<unknown> {
  return new Promise((resolve) => {
    let reason: unknown = 'closed'
    model.on('error', (error) => (reason = error))
    model.on('handler-error', (error) => (reason = error))
    model.once('close', (error) => resolve(error ?? reason))
  })
}

/** Closes a connection, after a second by force: amqplib itself waits for the broker's answer without a limit. */
export async function hangUp(model: ChannelModel): Promise<void> {
  const polite = model.close().catch(() => undefined)
  await Promise.race([polite, sleep(HANG_UP_TIMEOUT_MS, undefined, { ref: false })])
  // amqplib notices the end of its socket only when it comes with an error.
  socketOf(model)?.destroy(new Error('hung up'))
}

/** The socket of a connection, plain or TLS; `undefined` if amqplib no longer keeps it where it does now. */
export function socketOf({ connection }: { readonly connection: object }): Socket | undefined {
  return 'stream' in connection && connection.stream instanceof Socket ? connection.stream : undefined
}

function withHeartbeat(url: string): string {
  const parsed = new URL(url)
  if (!parsed.searchParams.has('heartbeat')) parsed.searchParams.set('heartbeat', String(HEARTBEAT_SECONDS))
  return parsed.href
}

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
