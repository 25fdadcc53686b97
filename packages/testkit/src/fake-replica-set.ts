import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { mongo } from 'mongoose'

const { BSON } = mongo

/** Op codes of the wire protocol (https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/). */
const OP = { reply: 1, query: 2004, message: 2013 } as const
const HEADER_BYTES = 16

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
    if ('hello' in command || 'isMaster' in command || 'ismaster' in command) return helloOf(address())
    if ('ping' in command || 'endSessions' in command) return { ok: 1 }
    commands.push(command)
    const given = answer(command)
    return Array.isArray(given) ? { cursor: { id: 0n, ns: 'test.test', firstBatch: given }, ok: 1 } : { ok: 1, ...given }
  }

  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
    let buffered = Buffer.alloc(0)
    socket.on('data', (chunk) => {
      buffered = Buffer.concat([buffered, chunk])
      while (buffered.length >= HEADER_BYTES && buffered.length >= buffered.readInt32LE(0)) {
        const message = buffered.subarray(0, buffered.readInt32LE(0))
        buffered = buffered.subarray(message.length)
        socket.write(encode(message, reply(readCommand(message))))
      }
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

function helloOf(me: string): mongo.Document {
  return {
    ...{ ok: 1, isWritablePrimary: true, ismaster: true, secondary: false, setName: 'rs0', setVersion: 1 },
    ...{ hosts: [me], primary: me, me, electionId: new BSON.ObjectId('7fffffff0000000000000001') },
    ...{ minWireVersion: 0, maxWireVersion: 25, logicalSessionTimeoutMinutes: 30, readOnly: false },
    ...{ maxBsonObjectSize: 16_777_216, maxMessageSizeBytes: 48_000_000, maxWriteBatchSize: 100_000 },
  }
}

/** The command of an `OP_MSG` with its document sequences, or of the `OP_QUERY` that opens a connection. */
function readCommand(message: Buffer): mongo.Document {
  if (message.readInt32LE(12) === OP.query) {
    const endOfName = message.indexOf(0, HEADER_BYTES + 4)
    return documentAt(message, endOfName + 1 + 8)
  }
  const command: mongo.Document = {}
  for (let at = HEADER_BYTES + 4; at < message.length;) {
    const kind = message[at]
    const size = message.readInt32LE(at + 1)
    if (kind === 0) Object.assign(command, documentAt(message, at + 1))
    else Object.assign(command, documentSequence(message.subarray(at + 5, at + 1 + size)))
    at += 1 + size
  }
  return command
}

function documentAt(message: Buffer, at: number): mongo.Document {
  return BSON.deserialize(message.subarray(at, at + message.readInt32LE(at)))
}

function documentSequence(section: Buffer): mongo.Document {
  const endOfName = section.indexOf(0)
  const documents: mongo.Document[] = []
  for (let at = endOfName + 1; at < section.length; at += section.readInt32LE(at)) documents.push(documentAt(section, at))
  return { [section.toString('utf8', 0, endOfName)]: documents }
}

function encode(request: Buffer, answer: mongo.Document): Buffer {
  const body = BSON.serialize(answer)
  const isQuery = request.readInt32LE(12) === OP.query
  // OP_REPLY: flags, cursor id, first document, number of documents. OP_MSG: flags and the kind of its one section.
  const prefix = Buffer.alloc(isQuery ? 20 : 5)
  if (isQuery) prefix.writeInt32LE(1, 16)
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeInt32LE(HEADER_BYTES + prefix.length + body.length, 0)
  header.writeInt32LE(request.readInt32LE(4), 8)
  header.writeInt32LE(isQuery ? OP.reply : OP.message, 12)
  return Buffer.concat([header, prefix, body])
}
