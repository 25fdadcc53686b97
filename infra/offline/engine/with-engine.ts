/** A Docker engine for one piece of work: the running one, else Debian's, which is removed afterwards with everything in it. */
import { join } from 'node:path'
import type { Context } from '@gateway-infra/system/command'
import { withLock } from '@gateway-infra/system/lock'
import { dockerIsImpossible, run, succeeds } from '@gateway-infra/system/run'
import { UserError } from '@gateway-infra/system/user-error'
import { nativeIsImpossible } from '../backing/rootfs.ts'
import { startEngine } from './dockerd.ts'
import { ensureEnginePackages, ensurePlugins } from './packages.ts'

/** Runs `work` with an engine, whose address is in the environment. Throws a `UserError` when none can be started. */
export async function withEngine<T>(context: Context, work: () => Promise<T>): Promise<T> {
  const { progress } = context
  const impossible = await dockerIsImpossible()
  if (impossible === undefined) {
    progress.log(`engine: the running one (${await describeEngine()})`)
    for (const plugin of ['buildx', 'compose'])
      if (!(await succeeds('docker', [plugin, 'version'])))
        throw new UserError(`the Docker client has no plugin "${plugin}": install docker-${plugin}, or set DOCKER_CONFIG`)
    return work()
  }
  const noNative = await nativeIsImpossible()
  if (noNative !== undefined)
    throw new UserError(`containers need a Docker engine: ${impossible}, and none can be started here (${noNative})`)
  return withLock(
    'docker engine',
    async () => withOwnEngine(context, work),
    () => progress.log('the engine of another command is running; waiting for its end'),
  )
}

async function withOwnEngine<T>({ progress, paths: { cacheDir }, env }: Context, work: () => Promise<T>): Promise<T> {
  const logs = { log: progress.log, logFile: join(cacheDir, 'engine.log') }
  await ensureEnginePackages(logs)
  const config = await ensurePlugins(cacheDir, logs, progress)
  const engine = await progress.during('starting a Docker engine', async () => startEngine(cacheDir, progress))
  try {
    // Child processes and libraries in this process read the environment; the command ends with its work.
    for (const target of [process.env, env]) Object.assign(target, { DOCKER_HOST: engine.host, DOCKER_CONFIG: config })
    progress.log(`engine: started from Debian packages (${await describeEngine()})`)
    return await work()
  } finally {
    await progress.during('stopping the Docker engine', async () => engine.stop())
  }
}

async function describeEngine(): Promise<string> {
  return (await run('docker', ['info', '--format', '{{.ServerVersion}}, {{.Driver}}'])).trim()
}
