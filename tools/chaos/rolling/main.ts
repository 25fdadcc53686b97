/**
 * `npm run chaos:rolling [-- --per-second 15] [-- --quick]`: two replicas of every service, each stopped (SIGTERM) and started
 * again in turn, while orders are created, paid and searched for. No request is sent twice. Fails when one request fails or one
 * event is lost. `--quick` restarts one replica of each service.
 */
import { parseArgs } from 'node:util'
import { withTemporaryBacking } from '@gateway-infra/local/temporary-backing'
import { runCommand } from '@gateway-infra/system/run-command'
import type { Fleet, Replica } from '../fleet/fleet.ts'
import { isFlawless, reportAccount } from '../load/account.ts'
import { underLoad } from '../load/under-load.ts'
import { withFleet } from '../load/with-fleet.ts'

const OPTIONS = {
  'per-second': { type: 'string', default: '15' },
  quick: { type: 'boolean', default: false },
} as const

await runCommand((context, args) => {
  const { values } = parseArgs({ args: [...args], options: OPTIONS })
  const perSecond = Number(values['per-second'])
  return withTemporaryBacking(context, ({ mongoUrl, amqpUrl, kind }) => {
    const backing = { mongoUrl, amqpUrl, isTemporary: kind !== 'given' }
    return withFleet({ backing, replicas: 2, env: { SHUTDOWN_DELAY: '5s' } }, async (fleet) => {
      const chosen = fleet.replicas.filter(({ number }) => number === 1 || !values.quick)
      const ordered = chosen.toSorted((one, other) => one.service.localeCompare(other.service) || one.number - other.number)
      const unclean: string[] = []
      const account = await underLoad(fleet, { perSecond }, async () => {
        for (const replica of ordered) if (!(await restart(fleet, replica))) unclean.push(`${replica.service} ${replica.number}`)
      })
      reportAccount(account, { restarted: ordered.length, unclean })
      // A second replica is always ready, so no request may be refused either.
      return isFlawless(account) && account.shed === 0 && unclean.length === 0
    })
  })
})

/** As a rolling update does it: resolves when the replica serves again. False when it did not end well. */
async function restart(fleet: Fleet, replica: Replica): Promise<boolean> {
  const startedMs = performance.now()
  const how = await replica.stop()
  const stoppedMs = performance.now()
  await replica.start()
  await fleet.untilServing(replica)
  const [stopS, startS] = [stoppedMs - startedMs, performance.now() - stoppedMs].map((ms) => (ms / 1000).toFixed(1))
  console.log(`  ${replica.service} ${replica.number}: stopped in ${stopS} s (${how}), ready again ${startS} s later`)
  return how === 'exit code 0'
}
