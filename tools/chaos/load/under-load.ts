import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { openMerchantLoad } from '@gateway-tools/load/merchant-load'
import { createMerchants } from '@gateway-tools/load/merchants'
import { openReceiver, type Receiver } from '@gateway-tools/load/receiver'
import type { Fleet } from '../fleet/fleet.ts'
import { account, type Account } from './account.ts'

export interface LoadOptions {
  /** Orders per second. */
  readonly perSecond: number
  readonly merchants?: number
  /** Load before `work` and after it. */
  readonly aroundMs?: number
}

/** Does `work` while merchants, shoppers and webhook receivers are busy with the fleet; then says what became of all orders. */
export async function underLoad(
  fleet: Fleet,
  { perSecond, merchants: count = 10, aroundMs = 4000 }: LoadOptions,
  work: (receiver: Receiver) => Promise<void>,
): Promise<Account> {
  const { baseUrl, networkUrl, ca } = fleet
  const load = openMerchantLoad()
  const receiver = await openReceiver({ cert: readFileSync(ca.certFile, 'utf8'), key: readFileSync(ca.keyFile, 'utf8') })
  try {
    const registry = { base_url: baseUrl, operator: fleet.operator() }
    const merchants = await createMerchants(registry, count, receiver.urls[0] ?? '')
    await load.call('setup', { baseUrl, networkUrl, merchants })
    const [loaded] = await Promise.all([
      load.call('paced', 'journey', { perSecond, durationMs: Infinity }),
      sleep(aroundMs)
        .then(() => work(receiver))
        .then(() => sleep(aroundMs))
        .finally(() => load.call('stop')),
    ])
    return await account(fleet, loaded, receiver)
  } finally {
    await Promise.all([load.close(), receiver.close()])
  }
}
