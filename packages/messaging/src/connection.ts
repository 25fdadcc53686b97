import { setTimeout as sleep } from 'node:timers/promises'
import type { ChannelModel } from 'amqplib'
import { endOf, hangUp, openConnection } from './amqp.ts'
import { endReason, BrokerUnavailable } from './errors.ts'

/** `blocked`: the broker is there but takes no messages (memory or disk alarm); a publisher treats it like `down`. */
export type BrokerState = 'up' | 'down' | 'blocked'

export interface ConnectionOptions {
  /** The nodes of one broker, at least one; they are tried in turn. */
  readonly urls: readonly string[]
  /** Shown by the broker's tools. */
  readonly name: string
  readonly log: Log
  readonly random: () => number
  /** Prepares each new connection before it is used. When it rejects, the connection is closed and the next one is tried. */
  readonly prepare: (model: ChannelModel) => Promise<void>
}

/** One connection to the broker, opened again after every loss. */
export interface Connection {
  readonly state: BrokerState
  /** `close` was called. */
  readonly closed: boolean
  onStateChange(listener: (state: BrokerState) => void): () => void
  /** Resolves to the open connection as soon as there is one. Rejects with `BrokerUnavailable` after `close`. */
  connected(): Promise<ChannelModel>
  /** Takes about a second at most, also when the broker does not answer. */
  close(): Promise<void>
}

const RECONNECT: Backoff = { firstMs: 100, maxMs: 5_000 }
const CLOSED = 'the broker connection was closed'

/**
 * Keeps a connection open until `close`; starting succeeds while the broker is away.
 *
 * The `recovery` option of amqplib 2.3.1 does not suffice. It misses the loss of a connection that the broker closes during the
 * handshake, it waits without a limit for a silent broker after a failed setup, and it cannot drop a connection.
 */
export function keepConnected(options: ConnectionOptions): Connection {
  const { log, name, random } = options
  const stop = new AbortController()
  const stopped = () => stop.signal.aborted
  const state = new Watched<BrokerState>('down')
  let model: ChannelModel | undefined
  // A random first node spreads the replicas over the nodes of a cluster.
  let turn = Math.floor(random() * options.urls.length)
  let ready = pending<ChannelModel>()

  /** One connection from its beginning to its end; resolves with the reason of the end. */
  async function connectionLife(onUp: () => void): Promise<unknown> {
    const opened = await openConnection(options.urls[turn++ % options.urls.length] ?? '', name)
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
      const reason = await connectionLife(() => (attempt = 1)).catch((error: unknown) => error)
      if (stopped()) return
      const delayMs = backoffMs(RECONNECT, attempt, random())
      log.warn('broker is away', { connection: name, reason: endReason(reason), attempt, retryInMs: delayMs })
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
      // A connection that is still being opened is not waited for: the loop closes it as soon as it is open.
      if (state.value !== 'down') await running
    },
  }
}

/** A promise that is settled later. Its rejection is no error when no caller waits for it. */
function pending<T>(): PromiseWithResolvers<T> {
  const made = Promise.withResolvers<T>()
  made.promise.catch(() => undefined)
  return made
}

/** Pauses in [`ceiling`/2, `ceiling`), where the ceiling doubles with each attempt until `maxMs`. */
export interface Backoff {
  readonly firstMs: number
  readonly maxMs: number
}

/**
 * The pause before attempt number `attempt` (from 1), in milliseconds. Up to half of it is random (jitter), so that replicas
 * that lost the same broker at the same moment do not reconnect at the same moment.
 * @param random a number in [0, 1)
 */
export function backoffMs({ firstMs, maxMs }: Backoff, attempt: number, random: number): number {
  const ceilingMs = Math.min(maxMs, firstMs * 2 ** Math.max(0, attempt - 1))
  return Math.round((ceilingMs * (1 + random)) / 2)
}

/** A value with listeners for its changes. */
export class Watched<T> {
  #value: T
  readonly #listeners = new Set<(value: T) => void>()

  constructor(value: T) {
    this.#value = value
  }

  get value(): T {
    return this.#value
  }

  /** Calls the listeners when the value changes. */
  set(value: T): void {
    if (value === this.#value) return
    this.#value = value
    for (const listener of this.#listeners) listener(value)
  }

  /** @returns a function that removes the listener */
  watch(listener: (value: T) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}

/** The part of a structured logger that messaging needs; a winston logger fits. */
export interface Log {
  info(message: string, fields: Record<string, unknown>): unknown
  warn(message: string, fields: Record<string, unknown>): unknown
  error(message: string, fields: Record<string, unknown>): unknown
}
