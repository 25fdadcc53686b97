import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export interface ConnectionLimit {
  /** Open connections of one client. */
  readonly max: number
  /** The client that an address belongs to; `undefined` for addresses without a limit. */
  readonly clientOf: (address: string | undefined) => string | undefined
}

/** Limits for answers that a client does not read. */
export interface AnswerLimits {
  /** Pipelined requests of one connection that may be unanswered. One more closes the connection. */
  readonly maxUnanswered: number
  /** A connection that takes no piece of its answer for this long is closed. */
  readonly stalledAfterMs: number
  /** Unsent bytes for one client, and for all clients. Above a limit, connections that take nothing are closed, the largest first. */
  readonly maxUnsentBytes: { readonly client: number; readonly all: number }
}

const MIB = 1024 * 1024
export const ANSWER_LIMITS: AnswerLimits = {
  maxUnanswered: 8,
  stalledAfterMs: 20_000,
  maxUnsentBytes: { client: 16 * MIB, all: 128 * MIB },
}

/** How often connections are checked for answers that their clients do not read. */
const LOOK_EVERY_MS = 1000

export interface Connections {
  /** False for a request beyond the limit: its connection is closed. Call it once for each request. */
  readonly admit: (socket: Socket, response: ServerResponse) => boolean
  readonly isAnswering: (socket: object) => boolean
}

interface Connection {
  readonly socket: Socket
  readonly client: string | undefined
  readonly unanswered: Set<ServerResponse>
  /** The bytes that the client had taken at the last check, and the time since which it has taken nothing. */
  sentBytes: number
  idleSinceMs: number
}

/** Bounds what clients can make a server hold: connections, requests without an answer, and answers that they do not read. */
export function boundConnections(
  server: Server,
  { max, clientOf }: ConnectionLimit = { max: Infinity, clientOf: () => undefined },
  limits: AnswerLimits = ANSWER_LIMITS,
): Connections {
  const connections = new Map<object, Connection>()
  const openOf = new Map<string, number>()
  const count = (client: string | undefined, change: number): void => {
    if (client === undefined) return
    const open = (openOf.get(client) ?? 0) + change
    if (open === 0) openOf.delete(client)
    else openOf.set(client, open)
  }
  let looking: NodeJS.Timeout | undefined

  server.on('connection', (socket) => {
    const client = clientOf(socket.remoteAddress)
    if (client !== undefined && (openOf.get(client) ?? 0) >= max) return void socket.destroy()
    count(client, 1)
    connections.set(socket, { socket, client, unanswered: new Set(), sentBytes: 0, idleSinceMs: performance.now() })
    looking ??= setInterval(() => closeUnread([...connections.values()], limits, performance.now()), LOOK_EVERY_MS)
    socket.once('close', () => {
      count(client, -1)
      const unanswered = connections.get(socket)?.unanswered ?? []
      connections.delete(socket)
      for (const response of unanswered) closeUnattached(response)
      if (connections.size > 0) return
      clearInterval(looking)
      looking = undefined
    })
  })

  return {
    isAnswering: (socket) => (connections.get(socket)?.unanswered.size ?? 0) > 0,
    admit(socket, response) {
      const unanswered = connections.get(socket)?.unanswered
      // In a simulation there are no connections.
      if (!unanswered) return !socket.destroyed
      if (socket.destroyed) return false
      if (unanswered.size >= limits.maxUnanswered) {
        stopParsing(socket)
        socket.destroy()
        return false
      }
      unanswered.add(response)
      response.once('close', () => unanswered.delete(response))
      return true
    },
  }
}

/**
 * Makes Node's parser stop: it does so when its `onIncoming` returns 2, as after an upgrade. Otherwise Node parses all requests of
 * one read even after the socket was destroyed, up to some thousand (9 MiB, 30 ms).
 */
function stopParsing(socket: Socket): void {
  const parser: unknown = Reflect.get(socket, 'parser')
  if (typeof parser === 'object' && parser !== null) Reflect.set(parser, 'onIncoming', () => 2)
}

/** Closes a pipelined answer that waits for an earlier one. Node emits no `close` for it, so its source would never stop. */
function closeUnattached(response: ServerResponse): void {
  if (response.socket) return
  response.destroy()
  response.emit('close')
}

/** The bytes that wait for the operating system; Node's own timeout of a socket looks at them, too. */
function queuedBytesOf(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle')
  const queued: unknown = typeof handle === 'object' && handle !== null ? Reflect.get(handle, 'writeQueueSize') : 0
  return typeof queued === 'number' ? queued : 0
}

/** Closes connections whose clients take nothing: after `stalledAfterMs`, or at once while too many bytes wait, the largest first. */
function closeUnread(connections: readonly Connection[], { stalledAfterMs, maxUnsentBytes }: AnswerLimits, nowMs: number): void {
  const unsentOf = new Map<string, number>()
  let all = 0
  const add = (client: string | undefined, bytes: number): void => {
    all += bytes
    if (client !== undefined) unsentOf.set(client, (unsentOf.get(client) ?? 0) + bytes)
  }
  const idle = connections.flatMap((connection) => {
    const { socket, client, unanswered } = connection
    const unsent = [...unanswered].reduce((sum, response) => sum + response.writableLength, 0)
    add(client, unsent)
    // Of one large write the first two change only at its end; the third one shrinks while the client takes it.
    const sentBytes = socket.bytesWritten - socket.writableLength - queuedBytesOf(socket)
    const isIdle = unsent > 0 && sentBytes === connection.sentBytes
    connection.sentBytes = sentBytes
    if (!isIdle) connection.idleSinceMs = nowMs
    return isIdle ? [{ ...connection, unsent }] : []
  })
  for (const { socket, client, unsent, idleSinceMs } of idle.toSorted((one, other) => other.unsent - one.unsent)) {
    const isTooMuch = all > maxUnsentBytes.all || (unsentOf.get(client ?? '') ?? 0) > maxUnsentBytes.client
    // Later pipelined answers may wait for the first one: then the client is not slow.
    const isStalled = socket.writableLength > 0 && nowMs - idleSinceMs >= stalledAfterMs
    if (!isTooMuch && !isStalled) continue
    socket.destroy()
    add(client, -unsent)
  }
}
