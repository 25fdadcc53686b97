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
  const { baseUrl, networkUrl, secrets, replicas, ca } = fleet
  const load = openMerchantLoad()
  const receiver = await openReceiver({ cert: readFileSync(ca.certFile, 'utf8'), key: readFileSync(ca.keyFile, 'utf8') })
  try {
    const { operatorPort } = replicas.find(({ service }) => service === 'auth-token') ?? { operatorPort: 0 }
    const operator = { url: `http://127.0.0.1:${operatorPort}`, token: secrets.authTokenOperatorToken }
    const merchants = await createMerchants({ base_url: baseUrl, operator }, count, receiver.urls[0] ?? '')
    await load.call({ kind: 'setup', setup: { baseUrl, networkUrl, merchants } })
    await load.call({ kind: 'start', what: 'journey', perSecond })
    await sleep(aroundMs)
    await work(receiver)
    await sleep(aroundMs)
    return await account(fleet, await load.call({ kind: 'stop' }), receiver)
  } finally {
    await Promise.all([load.close(), receiver.close()])
  }
}
