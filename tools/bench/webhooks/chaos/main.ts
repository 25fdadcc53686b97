/**
 * `npm run chaos:webhooks [-- --events 5000]`: two dispatchers share a queue, and in the middle of it one is killed (SIGKILL),
 * or the broker is restarted. Fails when a webhook is lost, a record is missing, or the audit does not say exactly that.
 */
import { parseArgs } from 'node:util'
import { startProxied } from '@gateway/testkit'
import { createWorld, type World } from '../world.ts'
import { auditOf } from './audit.ts'
import { restartBroker } from './restart-broker.ts'
import { survive, type Fault, type Survived } from './survive.ts'

const { values } = parseArgs({ options: { events: { type: 'string', default: '5000' } } })
const count = Number(values.events)
const canRestart = process.send !== undefined
const proxied = canRestart ? undefined : await startProxied(process.env['AMQP_URL'] ?? '')
const world = await createWorld({ endpoints: 100, ...(proxied ? { amqpUrl: proxied.url } : {}) })
const faults: Readonly<Record<string, Fault>> = {
  'one of two dispatchers is killed (SIGKILL)': async ([victim]) => {
    victim.kill('SIGKILL')
    await victim.ended
  },
  [canRestart ? 'the broker is restarted' : 'the broker is out of reach for 3 s']: () => restartBroker(proxied?.proxy),
}
try {
  const problems: string[] = []
  const results: Record<string, Survived> = {}
  for (const [index, [name, fault]] of Object.entries(faults).entries()) {
    const survived = await survive(world, { first: index * count, count }, fault)
    results[name] = survived
    const { before, shares, lost, duplicates, recorded, seconds } = survived
    console.log(`${name}, after ${before} of ${count} deliveries`)
    console.log(`  acknowledged ${count - lost}, lost ${lost}, more than once ${duplicates}; ${seconds.toFixed(1)} s in all`)
    console.log(`  recorded as delivered ${recorded}; attempts by each dispatcher ${shares.join(' and ')}`)
    if (lost > 0 || recorded < count) problems.push(name)
    if (shares.some((share) => share === 0)) problems.push(`${name}: one dispatcher had no share of the work`)
  }
  problems.push(...(await checkAudit(world, results)))
  const figures = Object.values(results)
  console.log(
    JSON.stringify({
      events: count,
      kill_lost: figures[0]?.lost,
      kill_duplicates: figures[0]?.duplicates,
      broker_lost: figures[1]?.lost,
      broker_duplicates: figures[1]?.duplicates,
      problems,
    }),
  )
  process.exitCode = problems.length === 0 ? 0 : 1
} finally {
  await world.remove()
  await proxied?.proxy.stop()
  if (canRestart) process.disconnect()
}

/** Clean after both; and when a record is taken away, it names that one and nothing else. */
async function checkAudit(whole: World, results: Readonly<Record<string, Survived>>): Promise<string[]> {
  const { place } = whole
  const events = Object.values(results).flatMap((survived) => survived.events)
  const clean = await auditOf(whole, events)
  console.log(`audit of ${events.length} committed changes: ${clean.length === 0 ? 'clean' : clean.slice(0, 5).join(', ')}`)
  const victim = events[Math.floor(events.length / 2)]?.id ?? ''
  await place.client.db(place.database).collection<{ _id: string }>('deliveries').deleteOne({ _id: victim })
  const named = await auditOf(whole, events)
  console.log(`audit without the record of ${victim}: ${named.slice(0, 5).join(', ') || 'clean'}`)
  return [
    ...(clean.length === 0 ? [] : ['the audit names gaps after a clean run']),
    ...(named.length === 1 && named[0]?.endsWith(` ${victim}`) === true ? [] : ['the audit does not name the gap']),
  ]
}
