/**
 * `npm run chaos:webhooks [-- --events 5000]`: two dispatchers share a queue, and in the middle of it one is killed (SIGKILL),
 * or the broker is restarted. Fails when a webhook is lost, a record is missing, or the audit does not say exactly that.
 */
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startProxied, type TcpProxy } from '@gateway/testkit'
import { createWorld } from '../world.ts'
import { auditOf } from './audit.ts'
import { survive, type Fault, type Survived } from './survive.ts'

const UNREACHABLE_MS = 3000

const { values } = parseArgs({ options: { events: { type: 'string', default: '5000' } } })
const count = Number(values.events)
/** The parent process can restart the broker only when it runs the broker; else the way to the broker is cut for a while. */
const proxied = process.send === undefined ? await startProxied(process.env['AMQP_URL'] ?? '') : undefined
const world = await createWorld({ endpoints: 100, ...(proxied ? { amqpUrl: proxied.url } : {}) })
const faults: readonly (readonly [name: string, fault: Fault])[] = [
  [
    'one of two dispatchers is killed (SIGKILL)',
    async ([victim]) => {
      victim.kill('SIGKILL')
      await victim.ended
    },
  ],
  proxied ? ['the broker cannot be reached for 3 s', () => cutOff(proxied.proxy)] : ['the broker is restarted', restartBroker],
]
try {
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
  problems.push(...(await checkAudit(results)))
  const [killed, broker] = results
  console.log(
    JSON.stringify({
      events: count,
      kill_lost: killed?.lost,
      kill_duplicates: killed?.duplicates,
      broker_lost: broker?.lost,
      broker_duplicates: broker?.duplicates,
      problems,
    }),
  )
  process.exitCode = problems.length === 0 ? 0 : 1
} finally {
  await world.remove()
  await proxied?.proxy.stop()
  if (!proxied) process.disconnect()
}

async function cutOff(proxy: TcpProxy): Promise<void> {
  proxy.cut()
  await sleep(UNREACHABLE_MS)
  proxy.restore()
}

async function restartBroker(): Promise<void> {
  process.send?.('restart-broker')
  await once(process, 'message')
}

/** The audit is clean after both faults; when one record is removed, it names that one and nothing else. */
async function checkAudit(results: readonly Survived[]): Promise<string[]> {
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
