import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** The fields of a method or of a message's properties, under the names that amqplib uses. */
export type Fields = Readonly<Record<string, unknown>>

/** A frame that has arrived: a method, the properties of a message, a part of its body, or a heartbeat. */
export interface Frame {
  readonly channel: number
  /** Of a method, as amqplib names it: `QueueDeclare`, … */
  readonly method: string | undefined
  readonly fields: Fields
  /** The size of the body that follows the properties. */
  readonly size?: number
  readonly content?: Buffer
}

interface Definitions {
  encodeMethod(id: number, channel: number, fields: Fields): Buffer
  encodeProperties(id: number, channel: number, size: number, fields: Fields): Buffer
}

interface FrameFunctions {
  parseFrame(bytes: Buffer, max: number): { readonly rest: Buffer } | false
  decodeFrame(parsed: object): Omit<Frame, 'method' | 'fields'> & { readonly id?: number; readonly fields?: Fields }
  makeBodyFrame(channel: number, content: Buffer): Buffer
  readonly HEARTBEAT_BUF: Buffer
}

// amqplib does not export its codec, and a second one might have faults of its own.
const require = createRequire(import.meta.url)
const folder = join(dirname(require.resolve('amqplib')), 'lib')
const definitions = require(join(folder, 'defs.js')) as Definitions
const frames = require(join(folder, 'frame.js')) as FrameFunctions

const METHODS = require(join(folder, 'defs.js')) as Readonly<Record<string, number>>
const NAMES = new Map(Object.entries(METHODS).map(([name, id]) => [id, name]))
export const HEARTBEAT = frames.HEARTBEAT_BUF

const BASIC = 60
/** The largest frame that the model sends; the body of a larger message comes in parts. */
export const FRAME_MAX = 131_072
const FRAME_OVERHEAD = 8
const PROTOCOL_HEADER = Buffer.from('AMQP\u0000\u0000\u0009\u0001')

/** Takes frames out of a stream of bytes, after the header that opens a connection. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0)
  #isOpen = false

  /** The complete frames up to here, and whether the connection was opened just now. */
  read(bytes: Buffer): { readonly opened: boolean; readonly frames: readonly Frame[] } {
    this.#rest = this.#rest.length > 0 ? Buffer.concat([this.#rest, bytes]) : bytes
    const opened = !this.#isOpen && this.#rest.length >= PROTOCOL_HEADER.length
    if (opened) {
      this.#isOpen = true
      this.#rest = this.#rest.subarray(PROTOCOL_HEADER.length)
    }
    const found: Frame[] = []
    while (this.#isOpen) {
      const parsed = frames.parseFrame(this.#rest, FRAME_MAX)
      if (!parsed) break
      this.#rest = parsed.rest
      const { id = 0, fields = {}, ...frame } = frames.decodeFrame(parsed)
      found.push({ ...frame, method: frame.size === undefined ? NAMES.get(id) : undefined, fields })
    }
    return { opened, frames: found }
  }
}

export function encodeMethod(name: string, channel: number, fields: Fields = {}): Buffer {
  const id = METHODS[name]
  if (id === undefined) throw new Error(`AMQP has no method ${name}`)
  return definitions.encodeMethod(id, channel, fields)
}

/** A method with the message that follows it. */
export function encodeMessage(
  name: string,
  channel: number,
  fields: Fields,
  message: { properties: Fields; content: Buffer },
): Buffer {
  const { properties, content } = message
  const parts = [encodeMethod(name, channel, fields), definitions.encodeProperties(BASIC, channel, content.length, properties)]
  const most = FRAME_MAX - FRAME_OVERHEAD
  for (let at = 0; at < content.length; at += most) parts.push(frames.makeBodyFrame(channel, content.subarray(at, at + most)))
  return Buffer.concat(parts)
}

/** An error after which the broker closes the channel. Source: https://www.rabbitmq.com/docs/channels#error-handling */
export class ChannelError extends Error {
  readonly replyCode: number
  /** The method that caused it. */
  readonly method: string

  constructor(replyCode: 404 | 406, text: string, method: string) {
    super(`${replyCode === 404 ? 'NOT_FOUND' : 'PRECONDITION_FAILED'} - ${text}`)
    this.replyCode = replyCode
    this.method = method
  }

  /** The fields of the method that closes the channel. */
  get fields(): Fields {
    const id = METHODS[this.method] ?? 0
    return { replyCode: this.replyCode, replyText: this.message, classId: id >>> 16, methodId: id & 0xffff }
  }
}

/** The model does not have this, on purpose: to answer as if it had would be a wrong model. It ends the run. */
export class Unsupported extends Error {
  constructor(what: string) {
    super(`the simulated RabbitMQ does not support ${what}`)
  }
}
