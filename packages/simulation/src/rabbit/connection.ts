import type { ServerConnection, ServerEnd } from '../sockets/network.ts'
import type { BrokerHost } from './broker-host.ts'
import { ServerChannel } from './channel.ts'
import { encodeMethod, FRAME_MAX, FrameReader, HEARTBEAT, METHOD, type Frame } from './codec.ts'
import { AmqpError, Unsupported } from './errors.ts'

const VERSION = '4.3.6'
const CHANNEL_MAX = 2047
const HEARTBEAT_SECONDS = 60

const SERVER_PROPERTIES = {
  product: 'RabbitMQ',
  version: VERSION,
  capabilities: {
    publisher_confirms: true,
    'basic.nack': true,
    consumer_cancel_notify: true,
    'connection.blocked': true,
    per_consumer_qos: true,
  },
}

/** The broker's end of one connection: its handshake, its channels, its heartbeats, and the alarm. */
export class BrokerConnection implements ServerConnection {
  readonly #broker: BrokerHost
  readonly #end: ServerEnd
  readonly #onGone: () => void
  readonly #reader = new FrameReader()
  readonly #channels = new Map<number, ServerChannel>()
  /** Frames that are not read during an alarm. */
  #unread: Frame[] = []
  #isBlocked = false
  #isClosing = false
  #stopBeating: (() => void) | undefined
  #receivedAt: number

  constructor(broker: BrokerHost, end: ServerEnd, onGone: () => void) {
    this.#broker = broker
    this.#end = end
    this.#onGone = onGone
    this.#receivedAt = broker.world.now()
  }

  onData(bytes: Buffer): void {
    this.#receivedAt = this.#broker.world.now()
    const { opened, frames } = this.#reader.read(bytes)
    if (opened) this.#send('ConnectionStart', { versionMajor: 0, versionMinor: 9, serverProperties: SERVER_PROPERTIES })
    this.#unread.push(...frames)
    this.#readOn()
  }

  onClose(): void {
    this.#isClosing = true
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
      this.#accept(frame)
    }
  }

  #accept(frame: Frame): void {
    try {
      if (frame.channel === 0) this.#acceptControl(frame)
      else if (!this.#isClosing) this.#acceptOnChannel(frame)
    } catch (error) {
      if (!(error instanceof AmqpError)) throw error
      this.#refuse(error)
    }
  }

  #acceptControl({ id, fields = {} }: Frame): void {
    if (id === METHOD['ConnectionStartOk'])
      this.#send('ConnectionTune', { channelMax: CHANNEL_MAX, frameMax: FRAME_MAX, heartbeat: HEARTBEAT_SECONDS })
    if (id === METHOD['ConnectionTuneOk']) this.#beat(Number(fields['heartbeat']))
    if (id === METHOD['ConnectionOpen']) this.#send('ConnectionOpenOk')
    if (id === METHOD['ConnectionClose']) this.#send('ConnectionCloseOk')
    if (id === METHOD['ConnectionClose'] || id === METHOD['ConnectionCloseOk']) this.#end.close('end')
  }

  #acceptOnChannel(frame: Frame): void {
    if (frame.id === METHOD['ChannelOpen']) {
      const channel = new ServerChannel(this.#broker, frame.channel, {
        client: this.#end.client,
        send: (bytes) => this.#end.send(bytes),
        ended: () => void this.#channels.delete(frame.channel),
        published: () => this.#blockDuringAlarm(),
      })
      this.#channels.set(frame.channel, channel)
      this.#end.send(encodeMethod('ChannelOpenOk', frame.channel))
      return
    }
    const channel = this.#channels.get(frame.channel)
    if (!channel) throw new AmqpError(504, "CHANNEL_ERROR - expected 'channel.open'", 'connection')
    channel.accept(frame)
  }

  /** A connection is blocked by its first message during an alarm, which the broker still takes. */
  #blockDuringAlarm(): void {
    if (!this.#broker.isBlocked || this.#isBlocked) return
    this.#isBlocked = true
    this.#broker.observer.onBlocked?.(this.#end.client)
    this.#send('ConnectionBlocked', { reason: 'low on memory' })
  }

  #refuse(error: AmqpError): void {
    if (error instanceof Unsupported) throw error
    this.#isClosing = true
    for (const channel of [...this.#channels.values()]) channel.end()
    this.#send('ConnectionClose', { replyCode: error.code, replyText: error.message, classId: 0, methodId: 0 })
  }

  /** Sends a heartbeat twice in the agreed time, and gives a client up that was silent for two of them. */
  #beat(seconds: number): void {
    if (seconds <= 0) return
    this.#stopBeating = this.#broker.world.after(seconds * 500, () => {
      const silentMs = this.#broker.world.now() - this.#receivedAt
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
