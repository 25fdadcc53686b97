/** Bursts of `recover` of one merchant, as a separate program, so that its work does not delay the measured calls. */
import { connectApi, type MerchantCredentials } from '@gateway/testkit/merchants'
import { openProgram, serveProgram, type Program } from '@gateway-tools/load/program'
import { ATTACKER, flood, gatewayOf } from './world.ts'

const BURST_EVERY_MS = 1000

export function openRecoverFlood(): Program<typeof functions> {
  return openProgram(import.meta.filename)
}

let bursts: NodeJS.Timeout | undefined

const functions = {
  /** Sends `atOnce` calls at once every second, over as many connections. */
  begin(baseUrl: string, credentials: MerchantCredentials, since: string, atOnce: number): void {
    const attacker = connectApi(baseUrl, { connections: atOnce, ...ATTACKER })
    const { deliveries } = gatewayOf({ stack: { base_url: baseUrl } }, credentials, { fetch: attacker.fetch })
    const burst = (): void => void flood(atOnce, () => deliveries.recover({ since, to: 'original' }), atOnce)
    burst()
    bursts = setInterval(burst, BURST_EVERY_MS)
  },

  end(): void {
    clearInterval(bursts)
  },
}

serveProgram(import.meta.filename, functions)
