/** Slow senders, as a separate program, so that its timers and sockets do not delay the measured page loads. */
import { connect, type Socket } from 'node:net'
import { openProgram, serveProgram, type Program } from '@gateway-tools/load/program'

const [CONNECTIONS, DRIP_EVERY_MS, DRIPS_PER_SECOND] = [500, 20, 50]

export function openDrip(): Program<typeof functions> {
  return openProgram(import.meta.filename)
}

let sockets: Socket[] = []
let dripping: NodeJS.Timeout | undefined

const functions = {
  /** Sends one byte of a form per second on each connection. Opens a connection again when the gateway closes it. */
  async begin(origin: string, path: string, localAddress: string): Promise<void> {
    const { hostname, port, host } = new URL(origin)
    const head = `POST ${path} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: 1000\r\n\r\n`
    const open = async (index: number): Promise<void> => {
      const socket = connect({ host: hostname, port: Number(port), localAddress })
      sockets[index] = socket
      // The gateway ends requests that take too long.
      socket.on('error', () => undefined).resume()
      socket.once('close', () => dripping && void open(index))
      await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))
      socket.write(head)
    }
    let turn = 0
    dripping = setInterval(() => {
      turn = (turn + 1) % DRIPS_PER_SECOND
      for (let index = turn; index < CONNECTIONS; index += DRIPS_PER_SECOND) sockets[index]?.write('a')
    }, DRIP_EVERY_MS)
    await Promise.all(Array.from({ length: CONNECTIONS }, (_, index) => open(index)))
  },

  end(): void {
    clearInterval(dripping)
    dripping = undefined
    for (const socket of sockets) socket.destroy()
    sockets = []
  },
}

serveProgram(import.meta.filename, functions)
