import type { ServerConnection, ServerEnd } from '../sockets/network.ts'
import { ServerChannel } from './channel.ts'
import { encodeMethod, FRAME_MAX, FrameReader, HEARTBEAT, type Frame } from './codec.ts'
import type { Queues } from './queues.ts'

const SERVER_PROPERTIES = { product: 'RabbitMQ', version: '4.3.6' }
const CHANNEL_MAX = 2047
const HEARTBEAT_SECONDS = 60

/** The broker's end of one connection: its handshake, its channels, its heartbeats, and the alarm. */
export class BrokerConnection implements ServerConnection {
  readonly #queues: Queues
  readonly #end: ServerEnd
  readonly #onGone: () => void
  readonly #reader = new FrameReader()
  readonly #channels = new Map<number, ServerChannel>()
  /** Frames that are not read during an alarm. */
  #unread: Frame[] = []
  #isBlocked = false
  #stopBeating: (() => void) | undefined
  #receivedAt: number

  constructor(queues: Queues, end: ServerEnd, onGone: () => void) {
    this.#queues = queues
    this.#end = end
    this.#onGone = onGone
    this.#receivedAt = queues.world.now()
  }

  onData(bytes: Buffer): void {
    this.#receivedAt = this.#queues.world.now()
    const { opened, frames } = this.#reader.read(bytes)
    if (opened) this.#send('ConnectionStart', { versionMajor: 0, versionMinor: 9, serverProperties: SERVER_PROPERTIES })
    this.#unread.push(...frames)
    this.#readOn()
  }

  onClose(): void {
    this.#stopBeating?.()
    for (const channel of [...this.#channels.values()]) channel.end()
    this.#channels.clear()
    this.#onGone()
  }

  /** The alarm is over. */
  unblock(): void {
    if (!this.#isBlocked) return
    this.#isBlocked = false
    this.#send('ConnectionUnblocked')
    this.#readOn()
  }

  #readOn(): void {
    while (!this.#isBlocked) {
      const frame = this.#unread.shift()
      if (!frame) return
      if (frame.channel === 0) this.#acceptControl(frame)
      else this.#acceptOnChannel(frame)
    }
  }

  #acceptControl({ method, fields }: Frame): void {
    if (method === 'ConnectionStartOk')
      this.#send('ConnectionTune', { channelMax: CHANNEL_MAX, frameMax: FRAME_MAX, heartbeat: HEARTBEAT_SECONDS })
    if (method === 'ConnectionTuneOk') this.#beat(Number(fields['heartbeat']))
    if (method === 'ConnectionOpen') this.#send('ConnectionOpenOk')
    if (method === 'ConnectionClose') {
      this.#send('ConnectionCloseOk')
      this.#end.close('end')
    }
  }

  #acceptOnChannel(frame: Frame): void {
    if (frame.method !== 'ChannelOpen') {
      this.#channels.get(frame.channel)?.accept(frame)
      return
    }
    const channel = new ServerChannel(this.#queues, frame.channel, {
      client: this.#end.name,
      send: (bytes) => this.#end.send(bytes),
      published: () => this.#blockDuringAlarm(),
    })
    this.#channels.set(frame.channel, channel)
    this.#end.send(encodeMethod('ChannelOpenOk', frame.channel))
  }

  /** A connection is blocked by its first message during an alarm, which the broker still takes. */
  #blockDuringAlarm(): void {
    if (!this.#queues.isBlocked || this.#isBlocked) return
    this.#isBlocked = true
    this.#queues.observer.onBlocked?.(this.#end.name)
    this.#send('ConnectionBlocked', { reason: 'low on memory' })
  }

  /** Sends a heartbeat twice in the agreed time, and gives a client up that was silent for two of them. */
  #beat(seconds: number): void {
    if (seconds <= 0) return
    this.#stopBeating = this.#queues.world.after(seconds * 500, () => {
      const silentMs = this.#queues.world.now() - this.#receivedAt
      if (silentMs > seconds * 2000 && !this.#isBlocked) {
        this.#end.close('reset')
        return
      }
      this.#end.send(HEARTBEAT)
      this.#beat(seconds)
    })
  }

  #send(method: string, fields = {}): void {
    this.#end.send(encodeMethod(method, 0, fields))
  }
}
