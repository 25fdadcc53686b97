import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A proxy between a client and a real server, so that a test can disturb the network. */
export interface TcpProxy {
  /** On 127.0.0.1. */
  readonly port: number
  /** Connections open now. */
  readonly connections: number
  /** Resets every connection, also new ones, as when the server is down. */
  cut(): void
  /** Keeps connections open and forwards nothing, as when the network loses packets. */
  freeze(): void
  /** Discards what clients send; `restore` then ends their connections. */
  swallow(): void
  /** Ends `cut`, `freeze` or `swallow`. */
  restore(): void
  /** Sends bytes to every client as if they came from the server. Use it only between two messages of the server. */
  inject(bytes: Buffer): void
  stop(): Promise<void>
}

/** Forwards bytes between 127.0.0.1:`port` (a free one) and the target. */
export async function startTcpProxy(target: { targetHost: string; targetPort: number }): Promise<TcpProxy> {
  const pairs = new Set<readonly [client: Socket, server: Socket]>()
  let mode: 'open' | 'cut' | 'frozen' | 'swallowing' = 'open'

  const listener = createServer((client) => {
    if (mode === 'cut') return void client.resetAndDestroy()
    const server = connect(target.targetPort, target.targetHost)
    const pair = [client, server] as const
    pairs.add(pair)
    const end = () => {
      pairs.delete(pair)
      client.destroy()
      server.destroy()
    }
    for (const socket of pair) socket.setNoDelay(true).on('error', end).on('close', end)
    client.pipe(server)
    server.pipe(client)
    if (mode === 'frozen') pause(pair)
    if (mode === 'swallowing') swallow(pair)
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
    get connections() {
      return pairs.size
    },
    cut() {
      mode = 'cut'
      resetAll()
    },
    freeze() {
      mode = 'frozen'
      pairs.forEach(pause)
    },
    swallow() {
      mode = 'swallowing'
      pairs.forEach(swallow)
    },
    restore() {
      if (mode === 'frozen') pairs.forEach(resume)
      if (mode === 'swallowing') for (const [client] of pairs) client.destroy()
      mode = 'open'
    },
    inject(bytes) {
      for (const [client] of pairs) client.write(bytes)
    },
    async stop() {
      resetAll()
      listener.close()
      await once(listener, 'close')
    },
  }
}

function pause([client, server]: readonly [Socket, Socket]): void {
  client.unpipe(server).pause()
  server.unpipe(client).pause()
}

function swallow([client, server]: readonly [Socket, Socket]): void {
  client.unpipe(server).resume()
  server.unpipe(client).resume()
}

function resume([client, server]: readonly [Socket, Socket]): void {
  client.pipe(server)
  server.pipe(client)
}
