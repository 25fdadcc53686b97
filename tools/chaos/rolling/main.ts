/**
 * `npm run chaos:rolling [-- --per-second 15] [-- --quick]`: two replicas of every service, each stopped (SIGTERM) and started
 * again in turn, while orders are created, paid and searched for. No request is sent twice. Fails when one request fails or one
 * event is lost. `--quick` restarts one replica of each service.
 */
import { parseArgs } from 'node:util'
import { eventually } from '@gateway/testkit'
import { startFleet, type Fleet } from '../fleet/fleet.ts'
import type { Replica } from '../fleet/replica.ts'
import { describeAccount, isFlawless } from '../load/account.ts'
import { underLoad } from '../load/under-load.ts'
import { endOnSignal } from '@gateway-tools/load/end-on-signal'
import { exitNow } from '@gateway-infra/system/exit-now'

const { values } = parseArgs({
  options: {
    'per-second': { type: 'string', default: '15' },
    quick: { type: 'boolean', default: false },
  },
})
endOnSignal()
const { MONGO_URL: mongoUrl = '', AMQP_URL: amqpUrl = '', BACKING: kind } = process.env
const backing = { mongoUrl, amqpUrl, isTemporary: kind !== 'given' }
const perSecond = Number(values['per-second'])
const fleet = await startFleet({ backing, replicas: 2, env: { SHUTDOWN_DELAY: '5s' } })
let keepLogs = true
try {
  const chosen = fleet.replicas.filter(({ number }) => number === 1 || !values.quick)
  const ordered = chosen.toSorted((one, other) => one.service.localeCompare(other.service) || one.number - other.number)
  const unclean: string[] = []
  const account = await underLoad(fleet, { perSecond }, async () => {
    for (const replica of ordered) if (!(await restart(fleet, replica))) unclean.push(`${replica.service} ${replica.number}`)
  })
  console.log(describeAccount(account))
  const { failures: _failures, gaps, ...figures } = account
  console.log(JSON.stringify({ restarted: ordered.length, ...figures, gaps: gaps.length, unclean }))
  // A second replica is always ready, so no request may be refused either.
  keepLogs = !isFlawless(account) || account.shed > 0 || unclean.length > 0
  if (keepLogs) console.log(`logs: ${fleet.logDir}`)
} finally {
  await fleet.stop({ keepLogs })
}
await exitNow(keepLogs ? 1 : 0)

/** As a rolling update does it: resolves when the replica serves again. False when it did not end well. */
async function restart({ balancers }: Fleet, replica: Replica): Promise<boolean> {
  const { service, number, port } = replica
  const startedMs = performance.now()
  const how = await replica.stop()
  const stoppedMs = performance.now()
  await replica.start()
  await eventually(
    () => {
      if (!balancers.get(service)?.ready.some((backend) => backend.port === port))
        throw new Error(`${service} ${number} gets no connections`)
    },
    { deadlineMs: 30_000 },
  )
  const [stopS, startS] = [stoppedMs - startedMs, performance.now() - stoppedMs].map((ms) => (ms / 1000).toFixed(1))
  console.log(`  ${service} ${number}: stopped in ${stopS} s (${how}), ready again ${startS} s later`)
  return how === '0'
}
