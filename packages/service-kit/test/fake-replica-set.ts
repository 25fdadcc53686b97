import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import type { mongo } from 'mongoose'
import { hello } from '@gateway/simulation/mongo/hello'
import { encodeReply, RequestReader } from '@gateway/simulation/mongo/wire'

/** A primary that answers as the primary of a replica set does; each answer comes from the test. */
export interface FakeReplicaSet {
  readonly url: string
  /** Every command except those by which the driver watches the server. */
  readonly commands: mongo.Document[]
  stop(): Promise<void>
}

/**
 * Listens on 127.0.0.1. `answer` gets each command: an array is the first and only batch of a cursor, a document is the answer,
 * and `undefined` means that the command succeeded.
 */
export async function startFakeReplicaSet(
  answer: (command: mongo.Document) => mongo.Document | mongo.Document[] | undefined,
): Promise<FakeReplicaSet> {
  const commands: mongo.Document[] = []
  const sockets = new Set<Socket>()
  const address = (): string => `127.0.0.1:${(server.address() as AddressInfo).port}`

  function reply(command: mongo.Document): mongo.Document {
    const me = address()
    // With one member it would be a standalone server.
    if ('hello' in command || 'isMaster' in command || 'ismaster' in command)
      return hello({ hosts: [me, me], me, primary: me, term: 1, now: Date.now() })
    if ('ping' in command || 'endSessions' in command) return { ok: 1 }
    commands.push(command)
    const given = answer(command)
    return Array.isArray(given) ? { cursor: { id: 0n, ns: 'test.test', firstBatch: given }, ok: 1 } : { ok: 1, ...given }
  }

  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
    const reader = new RequestReader()
    socket.on('data', (chunk) => {
      for (const request of reader.read(chunk)) socket.write(encodeReply(request, reply(request.body)))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `mongodb://${address()}/?replicaSet=rs0`,
    commands,
    async stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
