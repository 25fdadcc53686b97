import { mongo } from 'mongoose'
import type { Doc } from './documents.ts'

const { deserialize, serialize } = mongo.BSON

const HEADER_BYTES = 16
const OP_REPLY = 1
const OP_QUERY = 2004
const OP_MSG = 2013
/** The client wants no answer (write concern 0). */
const MORE_TO_COME = 2

/** One command of a client. */
export interface Request {
  readonly id: number
  readonly body: Doc
  readonly wantsReply: boolean
  /** The first command of a connection comes in this older form. */
  readonly isLegacy: boolean
}

/**
 * Takes commands out of a stream of bytes.
 * Source: https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/
 */
export class RequestReader {
  #rest: Buffer = Buffer.alloc(0)

  /** The complete requests up to here. */
  read(bytes: Buffer): Request[] {
    this.#rest = this.#rest.length > 0 ? Buffer.concat([this.#rest, bytes]) : bytes
    const requests: Request[] = []
    while (this.#rest.length >= HEADER_BYTES) {
      const length = this.#rest.readInt32LE(0)
      if (this.#rest.length < length) break
      requests.push(readRequest(this.#rest.subarray(0, length)))
      this.#rest = this.#rest.subarray(length)
    }
    return requests
  }
}

function readRequest(message: Buffer): Request {
  const [id, code] = [message.readInt32LE(4), message.readInt32LE(12)]
  if (code === OP_QUERY) return { id, body: readQuery(message), wantsReply: true, isLegacy: true }
  if (code !== OP_MSG) throw new Error(`the simulated MongoDB does not understand the operation ${code}`)
  const flags = message.readUInt32LE(HEADER_BYTES)
  return { id, body: readSections(message), wantsReply: (flags & MORE_TO_COME) === 0, isLegacy: false }
}

/** After the header: flags, the collection's name with its zero byte, two numbers, the command. */
function readQuery(message: Buffer): Doc {
  const end = message.indexOf(0, HEADER_BYTES + 4)
  return { ...deserialize(message.subarray(end + 9)), $db: 'admin' }
}

/** After the header: flags, the body, then documents that are sent beside it. */
function readSections(message: Buffer): Doc {
  const body: Record<string, unknown> = {}
  for (let at = HEADER_BYTES + 4; at < message.length;) {
    const kind = message.readUInt8(at)
    const size = message.readInt32LE(at + 1)
    const section = message.subarray(at + 1, at + 1 + size)
    if (kind === 0) Object.assign(body, deserialize(section))
    else Object.assign(body, readSequence(section))
    at += 1 + size
  }
  return body
}

function readSequence(section: Buffer): Doc {
  const end = section.indexOf(0, 4)
  const documents: Doc[] = []
  for (let at = end + 1; at < section.length;) {
    const size = section.readInt32LE(at)
    documents.push(deserialize(section.subarray(at, at + size)))
    at += size
  }
  return { [section.toString('utf8', 4, end)]: documents }
}

/** The bytes of an answer. */
export function encodeReply({ id, isLegacy }: Request, reply: Doc): Buffer {
  const body = serialize(reply, { ignoreUndefined: true })
  const head = isLegacy ? legacyHead() : Buffer.alloc(5)
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeInt32LE(HEADER_BYTES + head.length + body.length, 0)
  header.writeInt32LE(0, 4)
  header.writeInt32LE(id, 8)
  header.writeInt32LE(isLegacy ? OP_REPLY : OP_MSG, 12)
  return Buffer.concat([header, head, body])
}

/** Flags, cursor, position, and one document. */
function legacyHead(): Buffer {
  const head = Buffer.alloc(20)
  head.writeInt32LE(8, 0)
  head.writeInt32LE(1, 16)
  return head
}
