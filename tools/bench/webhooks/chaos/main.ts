/**
 * `npm run chaos:webhooks [-- --events 5000]`: two dispatchers share a queue, and in the middle of it one is killed (SIGKILL),
 * or the broker is restarted. Fails when a webhook is lost, a record is missing, or the audit does not say exactly that.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { withTemporaryBacking } from '@gateway-infra/local/temporary-backing'
import { runCommand } from '@gateway-infra/system/run-command'
import { startProxied } from '@gateway/testkit'
import { withWorld, type World } from '../world.ts'
import { auditOf } from './audit.ts'
import { survive, type Fault, type Survived } from './survive.ts'

const UNREACHABLE_MS = 3000
const OPTIONS = { events: { type: 'string', default: '5000' } } as const

type NamedFault = readonly [name: string, fault: Fault]

const KILL: NamedFault = [
  'one of two dispatchers is killed (SIGKILL)',
  async ([victim]) => {
    await victim.kill()
  },
]

await runCommand((context, args) => {
  const count = Number(parseArgs({ args: [...args], options: OPTIONS }).values.events)
  return withTemporaryBacking(context, async ({ mongoUrl, amqpUrl, restartBroker }) => {
    // A broker that is not ours cannot be restarted: the way to it is cut instead.
    const { proxy, url } = await startProxied(amqpUrl)
    const cutOff = async (): Promise<void> => {
      proxy.cut()
      await sleep(UNREACHABLE_MS)
      proxy.restore()
    }
    const broker: NamedFault = restartBroker
      ? ['the broker is restarted', restartBroker]
      : ['the broker cannot be reached for 3 s', cutOff]
    try {
      return await withWorld({ mongoUrl, amqpUrl, proxiedAmqpUrl: url, endpoints: 100 }, (world) =>
        surviveAll(world, count, [KILL, broker]),
      )
    } finally {
      await proxy.stop()
    }
  })
})

/** Prints one JSON object as the last line; resolves to the exit code. */
async function surviveAll(world: World, count: number, faults: readonly NamedFault[]): Promise<0 | 1> {
  const results: Survived[] = []
  const problems: string[] = []
  for (const [index, [name, fault]] of faults.entries()) {
    const survived = await survive(world, { first: index * count, count }, fault)
    results.push(survived)
    const { before, shares, lost, duplicates, recorded, seconds } = survived
    console.log(`${name}, after ${before} of ${count} deliveries`)
    console.log(`  acknowledged ${count - lost}, lost ${lost}, more than once ${duplicates}; ${seconds.toFixed(1)} s in all`)
    console.log(`  recorded as delivered ${recorded}; attempts by each dispatcher ${shares.join(' and ')}`)
    if (lost > 0 || recorded < count) problems.push(name)
    if (shares.includes(0)) problems.push(`${name}: one dispatcher had no share of the work`)
  }
  problems.push(...(await checkAudit(world, results)))
  const [killed, broker] = results
  const kill = { kill_lost: killed?.lost, kill_duplicates: killed?.duplicates }
  const restart = { broker_lost: broker?.lost, broker_duplicates: broker?.duplicates }
  console.log(JSON.stringify({ events: count, ...kill, ...restart, problems }))
  return problems.length === 0 ? 0 : 1
}

/** The audit is clean after both faults; when one record is removed, it names that one and nothing else. */
async function checkAudit(world: World, results: readonly Survived[]): Promise<string[]> {
  const events = results.flatMap((survived) => survived.events)
  const clean = await auditOf(world, events)
  console.log(`audit of ${events.length} committed changes: ${clean.length === 0 ? 'clean' : clean.slice(0, 5).join(', ')}`)
  const victim = events[Math.floor(events.length / 2)]?.id ?? ''
  await world.database.collection<{ _id: string }>('deliveries').deleteOne({ _id: victim })
  const named = await auditOf(world, events)
  console.log(`audit without the record of ${victim}: ${named.slice(0, 5).join(', ') || 'clean'}`)
  return [
    ...(clean.length === 0 ? [] : ['the audit names gaps after a clean run']),
    ...(named.length === 1 && named[0]?.endsWith(` ${victim}`) === true ? [] : ['the audit does not name the gap']),
  ]
}
