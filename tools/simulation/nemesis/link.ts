import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { Transform } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'

/** A connection from one part to another that can be disturbed. */
export interface NetworkLink {
  /** On 127.0.0.1. */
  readonly port: number
  /** Must be set before the first connection. */
  target: number
  /** Resets every connection, also new ones. */
  cut(): void
  /** Keeps connections open and forwards nothing. */
  freeze(): void
  /** Forwards each piece this many milliseconds later. */
  slow(delayMs: number): void
  /** Ends every disturbance. */
  heal(): void
  stop(): Promise<void>
}

export async function startLink(): Promise<NetworkLink> {
  const pairs = new Set<readonly [Socket, Socket]>()
  let [isCut, delayMs, target] = [false, 0, 0]
  let frozen = Promise.withResolvers<undefined>()
  frozen.resolve(undefined)

  // In the way at all times: a stream that is unpiped and piped again could lose its end.
  const passing = () =>
    new Transform({
      transform(piece, _encoding, done) {
        void (async () => {
          if (delayMs > 0) await sleep(delayMs)
          await frozen.promise
          done(null, piece)
        })()
      },
    })
  const server = createServer((client) => {
    if (isCut) return void client.resetAndDestroy()
    const upstream = connect(target, '127.0.0.1')
    const pair = [client, upstream] as const
    pairs.add(pair)
    const end = () => {
      pairs.delete(pair)
      client.destroy()
      upstream.destroy()
    }
    for (const socket of pair) socket.setNoDelay(true).on('error', end).on('close', end)
    client.pipe(passing()).on('error', end).pipe(upstream)
    upstream.pipe(passing()).on('error', end).pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  const resetAll = () => {
    for (const [client, upstream] of pairs) {
      client.resetAndDestroy()
      upstream.destroy()
    }
  }
  return {
    port: (server.address() as AddressInfo).port,
    get target() {
      return target
    },
    set target(port) {
      target = port
    },
    cut() {
      isCut = true
      resetAll()
    },
    freeze() {
      frozen = Promise.withResolvers()
    },
    slow(ms) {
      delayMs = ms
    },
    heal() {
      ;[isCut, delayMs] = [false, 0]
      frozen.resolve(undefined)
    },
    async stop() {
      frozen.resolve(undefined)
      resetAll()
      server.close()
      await once(server, 'close')
    },
  }
}
