import { join } from 'node:path'
import { withTemporaryBacking } from '@gateway-infra/local/temporary-backing'
import { withTemporaryState } from '@gateway-infra/local/temporary-state'
import { nativeIsImpossible } from '@gateway-infra/offline/backing/rootfs'
import type { Command } from '@gateway-infra/system/context'
import { runCommand } from '@gateway-infra/system/run-command'
import { Stopped } from '@gateway-infra/system/stopping'
import { UserError } from '@gateway-infra/system/user-error'
import { startBrokerCluster } from './cluster.ts'
import { killOneNode } from './run.ts'

const PER_SECOND = 15
const NODES = 3

/** Kills one of three nodes of a RabbitMQ cluster, under load. The nodes are native processes, wherever the database is. */
const chaosBrokerCluster: Command = async (context, [perSecond = String(PER_SECOND)]) => {
  const impossible = await nativeIsImpossible()
  if (impossible !== undefined) throw new UserError(`A cluster on one machine needs Debian's packages: ${impossible}.`)
  const { cacheDir } = context.paths
  const stopped = context.stopRequested.then((signal): never => {
    throw new Stopped(signal)
  })
  stopped.catch(() => undefined)
  return withTemporaryBacking(context, ({ mongoUrl, kind }) =>
    // The cluster has a state directory of its own, beside that of the database.
    withTemporaryState({ stateDir: join(context.paths.stateDir, 'cluster'), cacheDir }, async (stateDir) => {
      const options = { stateDir, cacheDir, progress: context.progress, size: NODES }
      const cluster = await context.progress.during(`starting ${NODES} brokers`, async () => startBrokerCluster(options))
      try {
        const isTemporary = kind !== 'given'
        const run = killOneNode({ mongoUrl, isTemporary, cluster, perSecond: Number(perSecond) })
        return (await Promise.race([run, stopped])) ? 0 : 1
      } finally {
        await cluster.stop()
      }
    }),
  )
}

await runCommand(chaosBrokerCluster)
