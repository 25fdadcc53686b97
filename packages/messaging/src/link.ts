import { setTimeout as sleep } from 'node:timers/promises'
import { Duplex } from 'node:stream'
import { connect, type ChannelModel } from 'amqplib'
import { backoffMs, type Backoff } from './backoff.ts'
import { BrokerUnavailable } from './errors.ts'
import type { Log } from './log.ts'
import { Watched } from './watched.ts'

/** `blocked`: the broker is there but takes no messages (memory or disk alarm). For a publisher that is away. */
export type BrokerState = 'up' | 'down' | 'blocked'

export interface LinkOptions {
  /** Of the nodes of one broker, at least one; each is tried in turn. */
  readonly urls: readonly string[]
  /** Shown by the broker's tools. */
  readonly name: string
  readonly log: Log
  readonly random: () => number
  /** Work on each new connection before anybody uses it. When it rejects, the connection is given up and tried again. */
  readonly prepare: (model: ChannelModel) => Promise<void>
}

/** One connection that is always there or being made again. */
export interface Link {
  readonly state: BrokerState
  /** Closed for good, by ourselves. */
  readonly closed: boolean
  onStateChange(listener: (state: BrokerState) => void): () => void
  /** The open connection, as soon as there is one. Rejects with `BrokerUnavailable` once the link is closed. */
  connected(): Promise<ChannelModel>
  /** Bounded: a broker that does not answer is left after a second. */
  close(): Promise<void>
}

const RECONNECT: Backoff = { firstMs: 100, maxMs: 5_000 }
const CLOSED = 'the broker connection was closed'
const CONNECT_TIMEOUT_MS = 10_000
const HANG_UP_TIMEOUT_MS = 1_000
/** A silent peer is noticed after two of these. */
const HEARTBEAT_SECONDS = 10

/**
 * Keeps a connection alive until closed; starting succeeds while the broker is away.
 *
 * amqplib's own `recovery` option was looked at (2.3.1) and not taken: it starts to listen for `close` only after the
 * handshake's promises have run, so a connection that the broker closes together with its open-ok stays "connected" for
 * ever; it waits without a limit for the close-ok of a connection whose `setup` failed, so a silent broker ends all
 * recovery; and it has no way to drop a connection that turned out to be useless.
 */
export function keepConnected(options: LinkOptions): Link {
  const { log, name, random } = options
  const stop = new AbortController()
  const stopped = () => stop.signal.aborted
  const state = new Watched<BrokerState>('down')
  let model: ChannelModel | undefined
  // Replicas spread over the nodes, and a node that comes back is not met by all of them.
  let turn = Math.floor(random() * options.urls.length)
  let ready = pending<ChannelModel>()

  /** One connection, from its beginning to its end; resolves with the reason why it ended. */
  async function connection(onUp: () => void): Promise<unknown> {
    const url = options.urls[turn++ % options.urls.length] ?? ''
    const opened = await connect(withHeartbeat(url), {
      timeout: CONNECT_TIMEOUT_MS,
      noDelay: true,
      keepAlive: true,
      clientProperties: { connection_name: name },
    })
    model = opened
    try {
      const ended = endOf(opened)
      await options.prepare(opened)
      if (stopped()) return undefined
      opened.on('blocked', (reason) => {
        log.warn('broker blocks publishing', { connection: name, reason })
        state.set('blocked')
      })
      opened.on('unblocked', () => state.set('up'))
      onUp()
      ready.resolve(opened)
      state.set('up')
      return await ended
    } finally {
      model = undefined
      if (state.value !== 'down' && !stopped()) ready = pending()
      state.set('down')
      await hangUp(opened)
    }
  }

  async function run(): Promise<void> {
    for (let attempt = 1; !stopped(); attempt++) {
      const reason = await connection(() => (attempt = 1)).catch((error: unknown) => error)
      if (stopped()) return
      const delayMs = backoffMs(RECONNECT, attempt, random())
      log.warn('broker is away', { connection: name, reason: String(reason), attempt, retryInMs: delayMs })
      await sleep(delayMs, undefined, { signal: stop.signal }).catch(() => undefined)
    }
  }
  const running = run()

  return {
    get state() {
      return state.value
    },
    get closed() {
      return stopped()
    },
    onStateChange: (listener) => state.watch(listener),
    connected: () => (stopped() ? Promise.reject(new BrokerUnavailable(CLOSED)) : ready.promise),
    async close() {
      stop.abort()
      ready.reject(new BrokerUnavailable(CLOSED))
      if (model) await hangUp(model)
      // A connection still being made is left to end by itself: the loop hangs up as soon as it is there.
      if (state.value !== 'down') await running
    },
  }
}

/** Listening for 'error' and 'handler-error' keeps both from being thrown out of band. */
function endOf(model: ChannelModel): Promise<unknown> {
  return new Promise((resolve) => {
    let reason: unknown = 'closed'
    model.on('error', (error) => (reason = error))
    model.on('handler-error', (error) => (reason = error))
    model.once('close', (error) => resolve(error ?? reason))
  })
}

/** Ends a connection politely, and within a second in any case: amqplib itself waits for the broker's answer for ever. */
async function hangUp(model: ChannelModel): Promise<void> {
  const polite = model.close().catch(() => undefined)
  await Promise.race([polite, sleep(HANG_UP_TIMEOUT_MS, undefined, { ref: false })])
  const connection: object = model.connection
  if ('stream' in connection && connection.stream instanceof Duplex) {
    // With an error, since amqplib hears of the end of its socket by that only.
    connection.stream.destroy(new Error('hung up'))
  }
}

function withHeartbeat(url: string): string {
  const parsed = new URL(url)
  if (!parsed.searchParams.has('heartbeat')) parsed.searchParams.set('heartbeat', String(HEARTBEAT_SECONDS))
  return parsed.href
}

/** A promise to be settled later; that it may be rejected with nobody waiting is no error. */
function pending<T>(): PromiseWithResolvers<T> {
  const made = Promise.withResolvers<T>()
  made.promise.catch(() => undefined)
  return made
}
