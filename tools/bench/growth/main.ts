/** `npm run bench:growth`: what stays the same while transactions pile up, and what does not. */
import { loadavg } from 'node:os'
import { mongo } from 'mongoose'
import { describeMachine } from '@gateway-tools/load/machine'
import { warmUp } from '../payments/create.ts'
import { openBench } from '../payments/stack.ts'
import { fill } from './fill.ts'
import { measureGrowth, type Sized } from './growth.ts'
import { openGrowthLoad, SEARCHED_AGAIN } from './load.ts'
import { measureMemory } from './memory.ts'
import { readOptions } from './options.ts'
import { measurePlans } from './plans.ts'
import { describeGrowth, describeMemory, describePlans, growthFigures, LIMITS, memoryFigures, planFigures } from './report.ts'

const MINUTE_MS = 60_000
/** From the start of the run, which ends within 40 minutes with what it has measured. */
const FILLED_WITHIN_MS = 17 * MINUTE_MS
const ENDS_WITHIN_MS = 37 * MINUTE_MS
/** The orders of the warm-up are stored, too. */
const WARM_UP_ORDERS = 4000

const options = readOptions(process.argv.slice(2))
const [small, large] = [await open('small'), await open('large')]
const sizes = [small, large] as const
const figures: Record<string, unknown> = {}
try {
  for (const sized of sizes) await prepare(sized)
  const stored = { small: await count(small), large: await count(large) }
  Object.assign(figures, { stored_small: stored.small, stored_large: stored.large })
  say(`stored: ${stored.small} and ${stored.large}`)
  if (options.parts.includes('plans')) await plans()
  if (options.parts.includes('growth')) await growth(stored)
  if (options.parts.includes('memory')) await memory()
  const { mongo_url: mongoUrl, amqp_url: amqpUrl } = large.bench.stack
  const circumstances = { took_s: Math.round(performance.now() / 1000), load: loadavg()[1] }
  console.log(JSON.stringify({ ...figures, ...circumstances, ...(await describeMachine({ mongoUrl, amqpUrl })) }))
} finally {
  for (const { bench, load } of sizes) await Promise.allSettled([load.close(), bench.close()])
}

async function open(name: Sized['name']): Promise<Sized> {
  const places = { stackFile: setting(name, 'STACK_FILE'), logDir: setting(name, 'STACK_LOGS') }
  const bench = await openBench({ ...places, databasePrefix: setting(name, 'DATABASE_PREFIX') })
  return { name, bench, load: openGrowthLoad() }
}

function setting(name: Sized['name'], variable: string): string {
  return process.env[`${name.toUpperCase()}_${variable}`] ?? ''
}

/** Fills the databases, then warms the stack up. */
async function prepare({ name, bench, load }: Sized): Promise<void> {
  const payments = Math.max(options[name] - WARM_UP_ORDERS, 1)
  const tell = (progress: string): void => say(`${name}: ${progress}`)
  const stored = await fill(bench, { payments, endsAtMs: FILLED_WITHIN_MS, tell })
  if (stored < payments) fail(`the time was over before all payments were stored (${name})`)
  const callbackSecret = setting(name, 'CALLBACK_SECRET')
  const { merchants, stack } = bench
  await load.call({ kind: 'setup', setup: { baseUrl: stack.base_url, callbackSecret, merchants, stored } })
  await warmUp(bench, WARM_UP_ORDERS)
  tell('warm')
}

async function plans(): Promise<void> {
  const prefixes = { small: small.bench.databasePrefix, large: large.bench.databasePrefix }
  const rows = await measurePlans(large.bench.stack.mongo_url, prefixes)
  console.log(`\n${describePlans(rows)}\n`)
  const found = planFigures(rows)
  Object.assign(figures, found)
  if (found.plans_without_index.length > 0) fail('a hot query does not use an index')
}

async function growth(stored: { small: number; large: number }): Promise<void> {
  const searchable = options.small - WARM_UP_ORDERS - SEARCHED_AGAIN
  const { rounds } = options
  const rows = await measureGrowth(sizes, { rounds, searchable }, (round) => say(`round ${round} of ${rounds}`))
  console.log(`\n${describeGrowth(rows, stored)}\n`)
  const found = growthFigures(rows)
  Object.assign(figures, found)
  if (!(found.growth_ratio <= LIMITS.growthRatio)) fail(`growth_ratio is above ${LIMITS.growthRatio}`)
  if (found.growth_missing > 0) fail('events are missing')
}

async function memory(): Promise<void> {
  let told = 0
  const result = await measureMemory(large.bench, {
    payments: options.payments,
    endsAtMs: ENDS_WITHIN_MS,
    tell: ({ payments, perSecond }) => {
      const tenths = Math.floor((payments * 10) / options.payments)
      if (tenths > told) say(`${payments} payments, ${perSecond.toFixed(0)}/s`)
      told = tenths
    },
  })
  console.log(`\n${describeMemory(result)}\n`)
  const found = memoryFigures(result)
  Object.assign(figures, found)
  if (!(found.memory_ratio <= LIMITS.memoryRatio)) fail(`memory_ratio is above ${LIMITS.memoryRatio}`)
  if (!(found.memory_max_mb <= LIMITS.memoryMaxMb)) fail(`memory_max_mb is above ${LIMITS.memoryMaxMb}`)
  if (found.memory_payments < options.payments) fail('the time was over before all payments were made')
  if (found.memory_missing > 0) fail('events are missing')
}

async function count({ bench }: Sized): Promise<number> {
  const client = await new mongo.MongoClient(bench.stack.mongo_url).connect()
  try {
    return await client.db(`${bench.databasePrefix}payment_status`).collection('transactions').countDocuments()
  } finally {
    await client.close()
  }
}

function fail(why: string): void {
  console.log(`BELOW THE BAR: ${why}`)
  process.exitCode = 1
}

function say(what: string): void {
  console.error(`[${(performance.now() / 1000).toFixed(0).padStart(5)} s] ${what}`)
}
