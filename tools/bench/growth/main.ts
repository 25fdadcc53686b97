/** `npm run bench:growth`: what stays the same while transactions pile up, and what does not. */
import { loadavg } from 'node:os'
import { ensureSecrets } from '@gateway-infra/local/secrets'
import type { Context } from '@gateway-infra/system/context'
import { runCommand } from '@gateway-infra/system/run-command'
import { describeMachine } from '@gateway-tools/load/machine'
import { withMeasuredStack, type MeasuredStack } from '@gateway-tools/load/measured-stack'
import { unlessStopped } from '@gateway-tools/load/unless-stopped'
import { warmUp } from '../payments/create.ts'
import { openBench, withCollection } from '../payments/stack.ts'
import { fill } from './fill.ts'
import { measureGrowth, type Sized } from './growth.ts'
import { openGrowthLoad, SEARCHED_AGAIN } from './load.ts'
import { measureMemory } from './memory.ts'
import { readOptions } from './options.ts'
import { measurePlans } from './plans.ts'
import { LIMITS, reportGrowth, reportMemory, reportPlans } from './report.ts'
import { makeTemplates } from './templates.ts'

const MINUTE_MS = 60_000
/** From the start of the run, which ends within 40 minutes with what it has measured. */
const FILLED_WITHIN_MS = 17 * MINUTE_MS
const ENDS_WITHIN_MS = 37 * MINUTE_MS
/** The orders of the warm-up are stored, too. */
const WARM_UP_ORDERS = 4000
/** Payments from the beginning of the run are not enquired again before its end. */
const ENV = { FINAL_ENQUIRY_DELAYS: '2h,24h' }

type Options = ReturnType<typeof readOptions>
type Sizes = readonly [small: Sized, large: Sized]

/**
 * Measures two stacks at once, one with few transactions stored and one with many, on the same database and broker: they take turns,
 * so both meet the same machine.
 */
await runCommand((context, args) => {
  const options = readOptions(args)
  return withMeasuredStack(context, { name: 'growth_large', env: ENV }, (large) => {
    const { mongo_url: MONGO_URL, amqp_url: AMQP_URL } = large.running.stack
    const beside = { ...context, env: { ...context.env, MONGO_URL, AMQP_URL } }
    return withMeasuredStack(beside, { name: 'growth_small', env: ENV }, async (small) => {
      const sizes = [await open('small', small), await open('large', large)] as const
      try {
        return await unlessStopped(() => measure(sizes, options, context))
      } finally {
        for (const { bench, load } of sizes) await Promise.allSettled([load.close(), bench.close()])
      }
    })
  })
})

async function open(name: Sized['name'], stack: MeasuredStack): Promise<Sized> {
  return { name, bench: await openBench(stack), load: openGrowthLoad() }
}

/** Resolves to the exit code: 1 when a figure is below the bar. */
async function measure(sizes: Sizes, options: Options, { progress }: Context): Promise<number> {
  const [small, large] = sizes
  const below: string[] = []
  for (const sized of sizes)
    if (!(await prepare(sized, options, progress.log))) below.push(`all payments are stored in time (${sized.name})`)
  const stored = { small: await count(small), large: await count(large) }
  progress.log(`stored: ${stored.small} and ${stored.large}`)
  const figures: Record<string, unknown> = { stored_small: stored.small, stored_large: stored.large }
  const add = (found: Record<string, unknown>, bars: Readonly<Record<string, boolean>>): void => {
    Object.assign(figures, found)
    below.push(...Object.entries(bars).flatMap(([bar, holds]) => (holds ? [] : [bar])))
  }
  if (options.parts.includes('plans')) {
    const found = reportPlans(await measurePlans(small.bench, large.bench))
    add(found, { 'every hot query uses an index': found.plans_without_index.length === 0 })
  }
  if (options.parts.includes('growth')) {
    const searchable = options.small - WARM_UP_ORDERS - SEARCHED_AGAIN
    const rows = await measureGrowth(sizes, { rounds: options.rounds, searchable }, (round) => progress.log(`round ${round}`))
    const found = reportGrowth(rows, stored)
    const ratio = { [`growth_ratio is at most ${LIMITS.growthRatio}`]: found.growth_ratio <= LIMITS.growthRatio }
    add(found, { ...ratio, 'every event of growth arrives': found.growth_missing === 0 })
  }
  if (options.parts.includes('memory')) {
    const run = { payments: options.payments, endsAtMs: ENDS_WITHIN_MS, tell: progress.log }
    const found = reportMemory(await measureMemory(large.bench, run))
    add(found, {
      [`memory_ratio is at most ${LIMITS.memoryRatio}`]: found.memory_ratio <= LIMITS.memoryRatio,
      [`memory_max_mb is at most ${LIMITS.memoryMaxMb}`]: found.memory_max_mb <= LIMITS.memoryMaxMb,
      'all payments are made in time': found.memory_payments >= options.payments,
      'every event of memory arrives': found.memory_missing === 0,
    })
  }
  for (const bar of below) console.log(`BELOW THE BAR: ${bar}`)
  const { mongo_url: mongoUrl, amqp_url: amqpUrl } = large.bench.stack
  const circumstances = { took_s: Math.round(performance.now() / 1000), load: loadavg()[1] }
  console.log(JSON.stringify({ ...figures, ...circumstances, ...(await describeMachine({ mongoUrl, amqpUrl })) }))
  return below.length === 0 ? 0 : 1
}

/** Fills the databases, then warms the stack up. False when the time was over before all payments were stored. */
async function prepare({ name, bench, load }: Sized, options: Options, log: (line: string) => void): Promise<boolean> {
  const { merchants, stack, stateDir } = bench
  const tell = (progress: string): void => log(`${name}: ${progress}`)
  const templates = await makeTemplates(bench)
  const payments = Math.max(options[name] - WARM_UP_ORDERS, 1)
  const stored = await fill(bench, { templates, payments, endsAtMs: FILLED_WITHIN_MS, tell })
  const merchantsInTurn = templates.map(({ orders: [order] }) =>
    merchants.findIndex(({ merchant_id }) => merchant_id === order?.merchant.id),
  )
  const { networkCallbackSecret: callbackSecret } = ensureSecrets(stateDir)
  const urls = { baseUrl: stack.base_url, networkUrl: stack.network_url }
  await load.call('setup', { ...urls, callbackSecret, merchants, stored, merchantsInTurn })
  await warmUp(bench, WARM_UP_ORDERS)
  tell('warm')
  return stored >= payments
}

function count({ bench }: Sized): Promise<number> {
  return withCollection(bench, ['payment_status', 'transactions'], (transactions) => transactions.countDocuments())
}
