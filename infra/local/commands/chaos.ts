import { join } from 'node:path'
import { nativeIsImpossible } from '../backing/rootfs.ts'
import { ROOT } from '../paths.ts'
import { runThrough } from '../system/run-through.ts'
import { Stopped } from '../system/stopping.ts'
import { withTemporaryBacking } from '../temporary-backing.ts'
import { withTemporaryState } from '../temporary-state.ts'
import { UserError } from '../user-error.ts'
import type { Command } from './context.ts'

/** Restarts every replica of every service in turn, under load. */
export const chaosRolling = withBacking('infra/chaos/rolling/main.ts')

const compatibility = 'infra/compatibility/main.ts'
const checkSideBySide = withBacking(compatibility)

/** Whether services of this checkout and of the compatibility point understand one another. */
export const compat: Command = (context, args) => {
  // All that has arguments needs no services.
  if (args.length === 0) return checkSideBySide(context, args)
  const { env, stopRequested } = context
  return runThrough(process.execPath, [join(ROOT, compatibility), ...args], { cwd: ROOT, env, stopRequested })
}

const PER_SECOND = 15
const NODES = 3

/** Kills one of three nodes of a RabbitMQ cluster, under load. The nodes are native ones, wherever the database is. */
export const chaosBrokerCluster: Command = async (context, [perSecond = String(PER_SECOND)]) => {
  const impossible = await nativeIsImpossible()
  if (impossible !== undefined) throw new UserError(`A cluster on one machine needs Debian's packages: ${impossible}.`)
  // Only here: every other command does without what it needs.
  const { startBrokerCluster } = await import('../../chaos/broker-cluster/cluster.ts')
  const { killOneNode } = await import('../../chaos/broker-cluster/run.ts')
  const { cacheDir } = context.paths
  const stopped = context.stopRequested.then((signal): never => {
    throw new Stopped(signal)
  })
  stopped.catch(() => undefined)
  return withTemporaryBacking(context, ({ mongoUrl, kind }) =>
    // Beside the state of the backing services: this one is the cluster's.
    withTemporaryState({ stateDir: join(context.paths.stateDir, 'cluster'), cacheDir }, async (stateDir) => {
      const options = { stateDir, cacheDir, progress: context.progress, size: NODES }
      const cluster = await context.progress.during(`starting ${NODES} brokers`, async () => startBrokerCluster(options))
      try {
        const isTemporary = kind !== 'given'
        const run = killOneNode({
          mongoUrl,
          isTemporary,
          cluster,
          perSecond: Number(perSecond),
          log: (line) => console.log(line),
        })
        return (await Promise.race([run, stopped])) ? 0 : 1
      } finally {
        await cluster.stop()
      }
    }),
  )
}

/** A program with `MONGO_URL`, `AMQP_URL` and, in `BACKING`, whose they are. */
function withBacking(script: string): Command {
  return (context, args) =>
    withTemporaryBacking(context, async ({ mongoUrl, amqpUrl, kind }) => {
      const env = { ...context.env, MONGO_URL: mongoUrl, AMQP_URL: amqpUrl, BACKING: kind }
      return runThrough(process.execPath, [join(ROOT, script), ...args], { cwd: ROOT, env, stopRequested: context.stopRequested })
    })
}
