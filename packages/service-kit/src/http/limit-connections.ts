import type { Server } from 'node:http'

export interface ConnectionLimit {
  /** Open connections of one client. */
  readonly max: number
  /** The client that an address belongs to; `undefined` for addresses without a limit. */
  readonly clientOf: (address: string | undefined) => string | undefined
}

/** Closes each new connection of a client that has `max` open ones. */
export function limitConnections(server: Server, { max, clientOf }: ConnectionLimit): void {
  const open = new Map<string, number>()
  server.on('connection', (socket) => {
    const client = clientOf(socket.remoteAddress)
    if (client === undefined) return
    const before = open.get(client) ?? 0
    if (before >= max) {
      socket.destroy()
      return
    }
    open.set(client, before + 1)
    socket.once('close', () => {
      const left = (open.get(client) ?? 1) - 1
      if (left === 0) open.delete(client)
      else open.set(client, left)
    })
  })
}
