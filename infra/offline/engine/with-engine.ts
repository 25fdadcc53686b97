/** A Docker engine for one piece of work: the running one, else Debian's, which is removed afterwards with everything in it. */
import { join } from 'node:path'
import { dockerIsImpossible } from '@gateway-infra/system/docker'
import { nativeIsImpossible } from '../backing/rootfs.ts'
import type { Context } from '@gateway-infra/system/context'
import { withLock } from '@gateway-infra/system/lock'
import { run } from '@gateway-infra/system/run'
import { UserError } from '@gateway-infra/system/user-error'
import { startEngine } from './dockerd.ts'
import { ensureEnginePackages, ensurePlugins } from './packages.ts'

/** How this process and its children find the engine. */
export interface EngineEnv {
  readonly DOCKER_HOST: string
  readonly DOCKER_CONFIG: string
}

/** Runs `work` with an engine, whose address is in the environment. Throws a `UserError` when none can be started. */
export async function withEngine<T>(context: Context, work: () => Promise<T>): Promise<T> {
  const { progress } = context
  const impossible = await dockerIsImpossible()
  if (impossible === undefined) {
    progress.log(`engine: the running one (${await describeEngine()})`)
    await requirePlugins()
    return work()
  }
  const noNative = await nativeIsImpossible()
  if (noNative !== undefined) {
    throw new UserError(`containers need a Docker engine: ${impossible}, and none can be started here (${noNative})`)
  }
  return withLock(
    'docker engine',
    async () => withOwnEngine(context, work),
    () => progress.log('the engine of another command is running; waiting for its end'),
  )
}

async function withOwnEngine<T>(context: Context, work: () => Promise<T>): Promise<T> {
  const { progress, paths, env } = context
  const logFile = join(paths.cacheDir, 'engine.log')
  await ensureEnginePackages(logFile, progress)
  const config = await ensurePlugins(paths.cacheDir, logFile, progress)
  const engine = await progress.during('starting a Docker engine', async () => startEngine(paths.cacheDir, progress))
  const address: EngineEnv = { DOCKER_HOST: engine.host, DOCKER_CONFIG: config }
  const before = Object.keys(address).map((name) => [name, process.env[name]] as const)
  try {
    // Child processes and libraries in this process read the environment.
    Object.assign(process.env, address)
    Object.assign(env, address)
    progress.log(`engine: started from Debian packages (${await describeEngine()})`)
    return await work()
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) Reflect.deleteProperty(process.env, name)
      else process.env[name] = value
    }
    await progress.during('stopping the Docker engine', async () => engine.stop())
  }
}

async function describeEngine(): Promise<string> {
  return (await run('docker', ['info', '--format', '{{.ServerVersion}}, {{.Driver}}'])).trim()
}

/** Throws a `UserError` unless the client has the plugins `buildx` and `compose`. */
async function requirePlugins(): Promise<void> {
  for (const plugin of ['buildx', 'compose']) {
    try {
      await run('docker', [plugin, 'version'])
    } catch {
      throw new UserError(`the Docker client has no plugin "${plugin}": install docker-${plugin}, or set DOCKER_CONFIG`)
    }
  }
}
