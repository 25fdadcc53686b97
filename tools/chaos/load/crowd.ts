import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { jsonClient } from '@gateway/testkit'
import { issueServerCertificate } from '@gateway/testkit/certificates'
import { openProgram, type Program } from '@gateway-tools/bench/payments/program'
import type { ReceiverAnswer, ReceiverCommand } from '@gateway-tools/bench/payments/receiver'
import type { Fleet } from '../fleet/fleet.ts'
import { account, type Account } from './account.ts'
import type { Credentials } from './journey.ts'
import type { LoadAnswer, LoadCommand } from './load.ts'

export interface Crowd {
  readonly load: Program<LoadCommand, LoadAnswer>
  readonly receiver: Program<ReceiverCommand, ReceiverAnswer>
}

export interface CrowdOptions {
  readonly perSecond: number
  readonly merchants?: number
  /** Before `work` and after it, so that what happens in it happens in the middle. */
  readonly aroundMs?: number
}

/** Does `work` while merchants, shoppers and webhook receivers are busy with the fleet; then says what became of all orders. */
export async function underLoad(
  fleet: Fleet,
  { perSecond, merchants: count = 10, aroundMs = 4000 }: CrowdOptions,
  work: (crowd: Crowd) => Promise<void>,
): Promise<Account> {
  const load = openProgram<LoadCommand, LoadAnswer>(`${import.meta.dirname}/load.ts`)
  const receiver = openProgram<ReceiverCommand, ReceiverAnswer>(`${import.meta.dirname}/../../bench/payments/receiver.ts`)
  try {
    const ca = { cert: readFileSync(fleet.ca.certFile, 'utf8'), key: readFileSync(fleet.ca.keyFile, 'utf8') }
    const certificate = await issueServerCertificate({ ca, hosts: ['localhost', '127.0.0.1'] })
    const { port } = await receiver.call({ kind: 'listen', certificate })
    const merchants = await createMerchants(fleet, count, `https://localhost:${port ?? 0}/webhooks`)
    const { baseUrl, networkUrl } = fleet
    await load.call({ kind: 'start', perSecond, options: { baseUrl, networkUrl, merchants } })
    await sleep(aroundMs)
    await work({ load, receiver })
    await sleep(aroundMs)
    return await account(fleet, await load.call({ kind: 'stop' }), receiver)
  } finally {
    await Promise.all([load.close(), receiver.close()])
  }
}

async function createMerchants({ replicas, secrets, baseUrl }: Fleet, count: number, url: string): Promise<Credentials[]> {
  const { operatorPort } = replicas.find(({ service }) => service === 'auth-token') ?? { operatorPort: 0 }
  const authorization = `Bearer ${secrets.authTokenOperatorToken}`
  const operators = jsonClient(`http://127.0.0.1:${operatorPort}`, { authorization })
  const merchants: Credentials[] = []
  for (let number = 1; number <= count; number++) {
    const merchant = { name: `Shop ${number}`, vpa: `shop.${number}@sandbox`, mcc: '5311' }
    const { body } = await operators<Credentials>('POST', '/operator/v1/merchants', merchant)
    const { key_id, key_secret } = body
    const token = await jsonClient(baseUrl)<{ token: string }>('POST', '/api/v1/auth/token', { key_id, key_secret })
    const api = jsonClient(baseUrl, { authorization: `Bearer ${token.body.token}` })
    const { status } = await api('PUT', '/api/v1/webhooks/endpoint', { url })
    if (status !== 200) throw new Error(`the endpoint was not registered: ${status}`)
    merchants.push({ key_id, key_secret })
  }
  return merchants
}
