import { mongo } from 'mongoose'
import type { Client, MemorySocket } from '../../sockets/memory-socket.ts'
import type { Doc } from '../documents.ts'

const { deserialize, serialize } = mongo.BSON

/** A connection to one member that sends single commands: no driver, so that a test decides where each command goes. */
export interface CommandClient {
  /** Resolves to the answer, also when it is an error; rejects when the connection ends first. */
  send(command: Doc): Promise<Doc>
  /** Ends the connection as a crash does. */
  destroy(): void
}

/** What a client connects to: a replica set, or a cluster. */
interface Server {
  connect(client: Client, target: string): MemorySocket
}

export function commandClient(server: Server, address: string, name = 'client'): CommandClient {
  const socket = server.connect({ name, run: (work) => work() }, address)
  const connected = new Promise<void>((resolve) => socket.once('connect', () => resolve()))
  const waiting = new Map<number, PromiseWithResolvers<Doc>>()
  let count = 0
  let bytes = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk])
    while (bytes.length >= 4 && bytes.length >= bytes.readInt32LE(0)) {
      const message = bytes.subarray(0, bytes.readInt32LE(0))
      bytes = bytes.subarray(message.length)
      waiting.get(message.readInt32LE(8))?.resolve(deserialize(message.subarray(21)))
    }
  })
  socket.on('error', () => undefined)
  socket.on('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('connection closed'))
  })
  return {
    send(command) {
      const id = (count += 1)
      const body = serialize({ ...command, $db: 'db' })
      const head = Buffer.alloc(21)
      head.writeInt32LE(21 + body.length, 0)
      head.writeInt32LE(id, 4)
      head.writeInt32LE(2013, 12)
      const answer = Promise.withResolvers<Doc>()
      answer.promise.catch(() => undefined)
      waiting.set(id, answer)
      void connected.then(() => socket.write(Buffer.concat([head, body])))
      return answer.promise
    },
    destroy: () => void socket.destroy(),
  }
}
