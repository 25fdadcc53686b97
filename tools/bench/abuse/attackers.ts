/** Floods that go on beside measured calls, as a separate program, so that their timers and sockets do not delay these calls. */
import { connect, type Socket } from 'node:net'
import { connectApi, type MerchantCredentials } from '@gateway/testkit/merchants'
import { openProgram, serveProgram, type Program } from '@gateway-tools/load/program'
import { ATTACKER, flood, gatewayOf } from './world.ts'

const [CONNECTIONS, DRIP_EVERY_MS, DRIPS_PER_SECOND] = [500, 20, 50]
const BURST_EVERY_MS = 1000

export function openAttackers(): Program<typeof functions> {
  return openProgram(import.meta.filename)
}

let sockets: Socket[] = []
let flooding: NodeJS.Timeout | undefined

const functions = {
  /** Sends one byte of a form per second on each connection. Opens a connection again when the gateway closes it. */
  async drip(origin: string, path: string): Promise<void> {
    const { hostname, port, host } = new URL(origin)
    const head = `POST ${path} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: 1000\r\n\r\n`
    const open = async (index: number): Promise<void> => {
      const socket = connect({ host: hostname, port: Number(port), ...ATTACKER })
      sockets[index] = socket
      // The gateway ends requests that take too long.
      socket.on('error', () => undefined).resume()
      socket.once('close', () => flooding && void open(index))
      await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))
      socket.write(head)
    }
    let turn = 0
    flooding = setInterval(() => {
      turn = (turn + 1) % DRIPS_PER_SECOND
      for (let index = turn; index < CONNECTIONS; index += DRIPS_PER_SECOND) sockets[index]?.write('a')
    }, DRIP_EVERY_MS)
    await Promise.all(Array.from({ length: CONNECTIONS }, (_, index) => open(index)))
  },

  /** Sends `atOnce` calls at once every second, over as many connections. */
  recover(baseUrl: string, credentials: MerchantCredentials, since: string, atOnce: number): void {
    const attacker = connectApi(baseUrl, { connections: atOnce, ...ATTACKER })
    const { deliveries } = gatewayOf({ stack: { base_url: baseUrl } }, credentials, { fetch: attacker.fetch })
    const burst = (): void => void flood(atOnce, () => deliveries.recover({ since, to: 'original' }), atOnce)
    burst()
    flooding = setInterval(burst, BURST_EVERY_MS)
  },

  /** Ends the flood that has begun. */
  end(): void {
    clearInterval(flooding)
    flooding = undefined
    for (const socket of sockets) socket.destroy()
    sockets = []
  },
}

serveProgram(import.meta.filename, functions)
