import { join } from 'node:path'
import type { Backing } from '@gateway-infra/offline/backing/backing'
import { type Command, type Context, runThrough } from '@gateway-infra/system/command'
import { ROOT } from '@gateway-infra/system/paths'
import { choosePorts } from '@gateway-infra/system/ports'
import { startBacking } from './backing/start-backing.ts'
import { withTemporaryState } from './temporary-state.ts'

/** Runs `work` with a database and a broker: the given ones, else temporary ones whose data is deleted afterwards. */
export async function withTemporaryBacking<T>(context: Context, work: (backing: Backing) => Promise<T>): Promise<T> {
  const { paths, progress, env } = context
  return withTemporaryState(paths, async (stateDir) => {
    // Free ports, so that other stacks on this machine keep theirs.
    const ports = await choosePorts({ ...env, STACK_PORTS: 'auto' })
    const backing = await startBacking({ stateDir, cacheDir: paths.cacheDir, ports, progress, env, isTemporary: true })
    try {
      return await work(backing)
    } finally {
      await progress.during('stopping the backing services', async () => backing.stop())
    }
  })
}

/**
 * A command that runs a program on a database and a broker: those of the environment, else temporary ones.
 * The program starts once `ready` has resolved. It reads `MONGO_URL` and `AMQP_URL`; `BACKING` says what kind they are (`given`, `docker` or `native`).
 */
export function runOnBacking(script: string, ready?: Promise<unknown>): Command {
  return (context, args) =>
    withTemporaryBacking(context, async ({ mongoUrl, amqpUrl, kind }) => {
      await ready
      const env = { ...context.env, MONGO_URL: mongoUrl, AMQP_URL: amqpUrl, BACKING: kind }
      return runThrough(process.execPath, [join(ROOT, script), ...args], { ...context, cwd: ROOT, env })
    })
}
