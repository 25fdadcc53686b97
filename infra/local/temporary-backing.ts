import type { Backing } from '@gateway-infra/offline/backing/backing'
import { startBacking } from './backing/start-backing.ts'
import type { Context } from '@gateway-infra/system/context'
import { choosePorts } from '@gateway-infra/system/ports'
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
