import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DEFAULT_SCOPES } from '@gateway/contracts'
import { readAuthority } from '@gateway-infra/local/stack-file'
import type { Log } from '@gateway-infra/system/progress'
import { connectApi, createMerchant } from '@gateway/testkit/merchants'
import { toJsonLines, type History } from '@gateway/simulation/check/history'
import { violationsOf } from '@gateway/simulation/check/rules'
import type { Fleet } from '../fleet/fleet.ts'
import { startClients } from './clients.ts'
import { readFinalState } from './final-state.ts'
import { openMerchant } from './merchant.ts'
import { Receivers } from './receivers.ts'

export interface ObserveOptions {
  readonly seed: number
  /** Orders per second. */
  readonly perSecond: number
  readonly log: Log
}

const MERCHANTS = 3
const CALL_TIMEOUT_MS = 12_000
const SETTLED_WITHIN_MS = 180_000

/**
 * Merchants, shoppers and webhook receivers use the fleet while `disturb` does its work; then it waits until everything is complete
 * and reads what is stored. Resolves to the history of what they saw, their credentials, and the result of `disturb`.
 */
export async function observe<T>(
  { seed, perSecond, log }: ObserveOptions,
  fleet: Fleet,
  disturb: (receivers: Receivers) => Promise<T>,
) {
  const { base_url: baseUrl, network_url: networkUrl, operator } = fleet
  const nowMs = () => Math.round(performance.now())
  const limits = { connections: 128, timeoutMs: CALL_TIMEOUT_MS }
  const [gateway, network] = [connectApi(baseUrl, limits), connectApi(networkUrl, limits)]
  const credentials = await Promise.all(
    Array.from({ length: MERCHANTS }, async (_, index) =>
      createMerchant(operator, { name: `Merchant ${index + 1}`, scopes: [...DEFAULT_SCOPES, 'refunds'] }),
    ),
  )
  const merchants = credentials.map((each) => openMerchant(baseUrl, each, gateway.fetch, CALL_TIMEOUT_MS))
  const receivers = new Receivers()
  try {
    for (const merchant of merchants) await receivers.serve(merchant, readAuthority(fleet), nowMs)
    const clients = startClients({ seed, merchants, network, perSecond, nowMs })
    const stop = new AbortController()
    const running = clients.run(stop.signal)
    const result = await disturb(receivers)
    stop.abort()
    await running
    log('every fault has ended; waiting until every order is final and no refund is pending')
    await clients.settle(nowMs() + SETTLED_WITHIN_MS)
    const state = await readFinalState(fleet, network, receivers, clients.refunds(), SETTLED_WITHIN_MS)
    // A late webhook would be one too many.
    await sleep(2000)
    const { webhooks, refundWebhooks } = receivers
    const history: History = { operations: clients.operations, webhooks, refundWebhooks, ...state }
    return { history, credentials, result }
  } finally {
    await Promise.all([gateway.close(), network.close(), receivers.stop()])
  }
}

/** Prints every broken rule of a history, and where the evidence is. Resolves to the number of broken rules. */
export async function reportViolations(history: History, { logDir }: Fleet): Promise<number> {
  const file = join(await mkdtemp(join(tmpdir(), 'gateway-history-')), 'history.jsonl')
  await writeFile(file, toJsonLines(history), { mode: 0o600 })
  const violations = violationsOf(history)
  for (const { rule, what } of violations.slice(0, 50)) console.log(`VIOLATION ${rule}: ${what}`)
  console.log(`history: ${file}; logs: ${logDir}`)
  return violations.length
}
