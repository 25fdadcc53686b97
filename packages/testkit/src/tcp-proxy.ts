import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { Transform } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'

/** A proxy between a client and a real server, so that a test can disturb the network. */
export type TcpProxy = Awaited<ReturnType<typeof startTcpProxy>>

/** Where a proxy connects to; it reads both for each connection. */
export interface ProxyTarget {
  readonly targetHost: string
  readonly targetPort: number
}

/** Forwards bytes between 127.0.0.1:`port` (a free one) and the target. */
export async function startTcpProxy(target: ProxyTarget) {
  const pairs = new Set<readonly [client: Socket, server: Socket]>()
  let [isCut, isSwallowing, delayMs] = [false, false, 0]
  let thawed = Promise.withResolvers<undefined>()
  thawed.resolve(undefined)

  // In the way at all times: a stream that is unpiped and piped again could lose its end.
  const passing = () =>
    new Transform({
      transform(piece, _encoding, done) {
        void (async () => {
          if (delayMs > 0) await sleep(delayMs)
          await thawed.promise
          done(null, isSwallowing ? undefined : piece)
        })()
      },
    })
  const listener = createServer((client) => {
    if (isCut) return void client.resetAndDestroy()
    const server = connect(target.targetPort, target.targetHost)
    const pair = [client, server] as const
    pairs.add(pair)
    const end = () => {
      pairs.delete(pair)
      client.destroy()
      server.destroy()
    }
    for (const socket of pair) socket.setNoDelay(true).on('error', end).on('close', end)
    client.pipe(passing()).on('error', end).pipe(server)
    server.pipe(passing()).on('error', end).pipe(client)
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')

  const resetAll = () => {
    for (const [client, server] of pairs) {
      client.resetAndDestroy()
      server.destroy()
    }
  }
  return {
    port: (listener.address() as AddressInfo).port,
    /** Connections open now. */
    get connections() {
      return pairs.size
    },
    /** Resets every connection, also new ones, as when the server is down. */
    cut() {
      isCut = true
      resetAll()
    },
    /** Keeps connections open and forwards nothing, as when the network loses packets. */
    freeze() {
      thawed = Promise.withResolvers()
    },
    /** Forwards each piece this many milliseconds later. */
    slow(ms: number) {
      delayMs = ms
    },
    /** Discards what either side sends; `restore` then ends their connections. */
    swallow() {
      isSwallowing = true
    },
    /** Ends `cut`, `freeze`, `slow` and `swallow`. */
    restore() {
      if (isSwallowing) for (const [client] of pairs) client.destroy()
      ;[isCut, isSwallowing, delayMs] = [false, false, 0]
      thawed.resolve(undefined)
    },
    /** Sends bytes to every client as if they came from the server. Use it only between two messages of the server. */
    inject(bytes: Buffer) {
      for (const [client] of pairs) client.write(bytes)
    },
    async stop() {
      thawed.resolve(undefined)
      resetAll()
      listener.close()
      await once(listener, 'close')
    },
  }
}
