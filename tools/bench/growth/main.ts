/** `npm run bench:growth`: what stays the same while transactions pile up, and what does not. */
import { loadavg } from 'node:os'
import { mongo } from 'mongoose'
import { warmUp } from '../payments/create.ts'
import { openProgram } from '../payments/program.ts'
import { describeMachine } from '../payments/report.ts'
import { openBench } from '../payments/stack.ts'
import { SEARCHED_AGAIN } from './caller.ts'
import { fill } from './filling.ts'
import { measureGrowth, type Sized } from './growth.ts'
import type { GrowthAnswer, GrowthCommand } from './load.ts'
import { measureMemory } from './memory.ts'
import { readOptions } from './options.ts'
import { measurePlans } from './plans.ts'
import { describeGrowth, describeMemory, describePlans, growthFigures, LIMITS, memoryFigures, planFigures } from './report.ts'

const MINUTE_MS = 60_000
/** Of the whole run, so that it ends within 40 minutes with what it has. */
const FILLED_WITHIN_MS = 17 * MINUTE_MS
const ENDS_WITHIN_MS = 37 * MINUTE_MS
/** They are stored, too. */
const WARM_UP_ORDERS = 4000

const options = readOptions(process.argv.slice(2))
const small = await open('small')
const large = await open('large')
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
  console.log(
    JSON.stringify({ ...figures, took_s: Math.round(performance.now() / 1000), load: loadavg()[1], ...describeMachine() }),
  )
} finally {
  for (const { bench, load } of sizes) await Promise.allSettled([load.close(), bench.close()])
}

async function open(name: Sized['name']): Promise<Sized> {
  const setting = (what: string): string => process.env[`${name.toUpperCase()}_${what}`] ?? ''
  const places = { stackFile: setting('STACK_FILE'), logDir: setting('STACK_LOGS'), databasePrefix: setting('DATABASE_PREFIX') }
  const bench = await openBench(places)
  return { name, bench, load: openProgram<GrowthCommand, GrowthAnswer>(`${import.meta.dirname}/load.ts`) }
}

/** What the warm-up makes counts as stored, too. */
async function prepare({ name, bench, load }: Sized): Promise<void> {
  const payments = Math.max(options[name] - WARM_UP_ORDERS, 1)
  const tell = (what: string): void => say(`${name}: ${what}`)
  const stored = await fill(bench, { payments, endsAtMs: FILLED_WITHIN_MS, tell })
  if (stored < payments) fail(`the time was over before all was filled in (${name})`)
  const [baseUrl, callbackSecret] = [bench.stack.base_url, process.env[`${name.toUpperCase()}_CALLBACK_SECRET`] ?? '']
  await load.call({ kind: 'setup', baseUrl, callbackSecret, merchants: bench.merchants, stored })
  await warmUp(bench, WARM_UP_ORDERS)
  say(`${name}: warm`)
}

async function plans(): Promise<void> {
  const prefixes = { small: small.bench.databasePrefix, large: large.bench.databasePrefix }
  const rows = await measurePlans(large.bench.stack.mongo_url, prefixes)
  console.log(`\n${describePlans(rows)}\n`)
  Object.assign(figures, planFigures(rows))
  if (rows.some((row) => !row.small.usesIndex || !row.large.usesIndex)) fail('a hot query does not use an index')
}

async function growth(stored: { small: number; large: number }): Promise<void> {
  const rows = await measureGrowth(
    sizes,
    { rounds: options.rounds, searchable: options.small - WARM_UP_ORDERS - SEARCHED_AGAIN },
    (round) => say(`round ${round} of ${options.rounds}`),
  )
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
