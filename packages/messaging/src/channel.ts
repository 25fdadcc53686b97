import { setTimeout as sleep } from 'node:timers/promises'
import type { Channel, ChannelModel } from 'amqplib'
import { backoffMs, type Backoff, type Connection, type Log } from './connection.ts'
import { endReason } from './errors.ts'

const REOPEN: Backoff = { firstMs: 100, maxMs: 5_000 }

export interface ChannelOptions<C extends Channel> {
  readonly connection: Connection
  /** The purpose of the channel, for the log. */
  readonly name: string
  readonly log: Log
  readonly random: () => number
  readonly open: (model: ChannelModel) => Promise<C>
  /** Called with each new channel. When it rejects, the channel is closed and opened again. */
  readonly onOpen: (channel: C) => Promise<void> | void
  /** Called when the channel has ended, for any reason. */
  readonly onEnd: () => void
}

/** Keeps one channel open: it is opened again after every loss of the channel or its connection, until `close`. */
export function keepChannel<C extends Channel>(options: ChannelOptions<C>): { close(): Promise<void> } {
  const { connection, name, log, random } = options
  const stop = new AbortController()
  const stopped = () => stop.signal.aborted
  let current: C | undefined

  /** One channel, from its beginning to its end. */
  async function channelLife(model: ChannelModel, onUp: () => void): Promise<unknown> {
    const channel = await options.open(model)
    current = channel
    let reason: unknown = 'closed'
    channel.on('error', (error) => (reason = error))
    channel.on('handler-error', (error) => (reason = error))
    const ended = new Promise((resolve) => channel.once('close', () => resolve(reason)))
    try {
      if (!stopped()) await options.onOpen(channel)
      onUp()
      if (stopped()) return undefined
      return await ended
    } finally {
      current = undefined
      options.onEnd()
      await closeQuietly(channel)
    }
  }

  async function run(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const model = await connection.connected().catch(() => undefined)
      if (!model || stopped()) return
      const reason = await channelLife(model, () => (attempt = 1)).catch((error: unknown) => error)
      if (stopped() || connection.closed) return
      const delayMs = backoffMs(REOPEN, attempt, random())
      log.warn('broker channel ended', { channel: name, reason: endReason(reason), retryInMs: delayMs })
      await sleep(delayMs, undefined, { signal: stop.signal }).catch(() => undefined)
    }
  }
  void run()

  return {
    async close() {
      stop.abort()
      if (current) await closeQuietly(current)
    },
  }
}

/** Closing a channel of a lost connection fails, and a silent broker does not answer: waits a second at most. */
async function closeQuietly(channel: Channel): Promise<void> {
  const closed = (async () => channel.close())().catch(() => undefined)
  await Promise.race([closed, sleep(1_000, undefined, { ref: false })])
}
