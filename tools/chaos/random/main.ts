/**
 * `npm run chaos:random [-- --minutes 2] [-- --seed 1] [-- --per-second 3]`: two replicas of each service, faults drawn from the
 * seed, and a history of what merchants, shoppers and webhook receivers saw. Then quiet, and every rule is checked.
 */
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { DEFAULT_SCOPES } from '@gateway/contracts'
import { readAuthority } from '@gateway-infra/local/stack-file'
import { runCommand } from '@gateway-infra/system/command'
import { unlessStopped } from '@gateway-infra/system/stopping'
import { connectApi, createMerchant } from '@gateway/testkit/merchants'
import { toJsonLines, unacknowledged, unacknowledgedRefunds, type History } from '@gateway/simulation/check/history'
import { violationsOf } from '@gateway/simulation/check/rules'
import { startClients } from './clients.ts'
import { execute } from './execute.ts'
import { readFinalState } from './final-state.ts'
import { openMerchant } from './merchant.ts'
import { planFaults } from './plan.ts'
import { Receivers } from './receivers.ts'
import { withWorld, type World } from './world.ts'

const OPTIONS = {
  minutes: { type: 'string', default: '2' },
  seed: { type: 'string', default: '1' },
  'per-second': { type: 'string', default: '3' },
} as const
const MERCHANTS = 3
const CALL_TIMEOUT_MS = 12_000
const SETTLED_WITHIN_MS = 180_000

await runCommand((context, args) => {
  const { values } = parseArgs({ args: [...args], options: OPTIONS })
  const [minutes, seed, perSecond] = [Number(values.minutes), Number(values.seed), Number(values['per-second'])]
  return withWorld(context, (world) =>
    unlessStopped(async () => {
      const { faults, history } = await run(world, { minutes, seed, perSecond }, context.progress.log)
      const file = join(await mkdtemp(join(tmpdir(), 'gateway-history-')), 'history.jsonl')
      await writeFile(file, toJsonLines(history), { mode: 0o600 })
      const violations = violationsOf(history)
      for (const { rule, what } of violations.slice(0, 50)) console.log(`VIOLATION ${rule}: ${what}`)
      console.log(`history: ${file}; logs: ${world.fleet.logDir}`)
      console.log(`again: npm run chaos:random -- --minutes ${minutes} --seed ${seed} --per-second ${perSecond}`)
      console.log(JSON.stringify({ ...figuresOf(history), faults, violations: violations.length, seed, minutes }))
      return violations.length === 0 ? 0 : 1
    }),
  )
})

interface RunOptions {
  readonly minutes: number
  readonly seed: number
  readonly perSecond: number
}

async function run(world: World, { minutes, seed, perSecond }: RunOptions, log: (line: string) => void) {
  const { fleet } = world
  const { base_url: baseUrl, network_url: networkUrl, operator } = fleet
  const nowMs = () => Math.round(performance.now())
  const [gateway, network] = [baseUrl, networkUrl].map((url) => connectApi(url, { connections: 128, timeoutMs: CALL_TIMEOUT_MS }))
  if (!gateway || !network) throw new Error('both have a URL')
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
    const faults = await execute(planFaults(seed, minutes * 60_000), world, receivers, log)
    stop.abort()
    await running
    log('every fault has ended; waiting until every order is final and no refund is pending')
    await clients.settle(nowMs() + SETTLED_WITHIN_MS)
    const state = await readFinalState(fleet, network, receivers, clients.refunds(), SETTLED_WITHIN_MS)
    // A late webhook would be one too many.
    await sleep(2000)
    const { webhooks, refundWebhooks } = receivers
    const history: History = { operations: clients.operations, webhooks, refundWebhooks, ...state }
    return { faults, history }
  } finally {
    await Promise.all([gateway.close(), network.close(), receivers.stop()])
  }
}

function figuresOf({ operations, webhooks, refundWebhooks, changes, payments, refunds }: History) {
  const created = operations.filter(({ action, type }) => action.f === 'create' && type === 'ok')
  return {
    orders: new Set(created.map(({ action }) => action.order)).size,
    requests: operations.length,
    unanswered: operations.filter(({ type }) => type === 'info').length,
    changes: changes.length,
    webhooks: webhooks.length,
    payments: payments.length,
    refunds: refunds.length,
    refund_webhooks: refundWebhooks.length,
    lost: unacknowledged({ webhooks, changes }).length + unacknowledgedRefunds({ refunds, refundWebhooks }).length,
  }
}
