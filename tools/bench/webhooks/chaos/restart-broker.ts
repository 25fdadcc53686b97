import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TcpProxy } from '@gateway/testkit'

const AWAY_MS = 3000

/** Asks the parent process, which runs the broker; without one that can, the way to the broker is cut for a while. */
export async function restartBroker(proxy: TcpProxy | undefined): Promise<void> {
  if (!proxy) {
    process.send?.('restart-broker')
    await once(process, 'message')
    return
  }
  proxy.cut()
  await sleep(AWAY_MS)
  proxy.restore()
}
