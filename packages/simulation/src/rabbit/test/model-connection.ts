import net from 'node:net'
import type { Duplex } from 'node:stream'
import { connect, type ChannelModel } from 'amqplib'
import type { Broker } from '../broker.ts'

/** Connects the real amqplib to a model; `name` is the simulated process. Without heartbeats, since amqplib's timers are real. */
export async function connectToModel(broker: Broker, name = 'client', node = 'rabbit-0:5672'): Promise<ChannelModel> {
  const { connect: connectSocket } = net
  const inMemory = (_options: net.TcpNetConnectOpts, onConnect: () => void): Duplex => {
    const socket = broker.connect({ name, run: (work) => work() }, node)
    socket.once('connect', onConnect)
    return socket
  }
  Object.assign(net, { connect: inMemory })
  try {
    // The socket is made before the first await.
    return await startWith(() => Object.assign(net, { connect: connectSocket }), `amqp://guest:guest@${node}?heartbeat=0`)
  } finally {
    Object.assign(net, { connect: connectSocket })
  }
}

function startWith(restore: () => void, url: string): Promise<ChannelModel> {
  const connecting = connect(url)
  restore()
  return connecting
}
