/** A Docker engine for one piece of work: the one that answers, else Debian's, which is gone afterwards with all that it held. */
import { join } from 'node:path'
import { dockerIsImpossible } from '@gateway-infra/system/docker'
import { nativeIsImpossible } from '../backing/rootfs.ts'
import type { Context } from '@gateway-infra/system/context'
import { withLock } from '@gateway-infra/system/lock'
import { run } from '@gateway-infra/system/run'
import { UserError } from '@gateway-infra/system/user-error'
import { startEngine } from './dockerd.ts'
import { ensureEnginePackages, ensurePlugins } from './packages.ts'

/** How this process and all that it starts find the engine; `env` is the one of the command. */
export interface EngineEnv {
  readonly DOCKER_HOST: string
  readonly DOCKER_CONFIG: string
}

/** Throws `UserError` when there is no engine and none can be started. The engine's address goes into the environment. */
export async function withEngine<T>(context: Context, work: () => Promise<T>): Promise<T> {
  const { progress } = context
  const impossible = await dockerIsImpossible()
  if (impossible === undefined) {
    progress.log(`engine: the one that answers (${await describeEngine()})`)
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
    () => progress.log('the engine of another command runs; waiting for its end'),
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
    // Whatever is started from here asks the environment, and so do libraries inside this process.
    Object.assign(process.env, address)
    Object.assign(env, address)
    progress.log(`engine: of its own (${await describeEngine()})`)
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

/** What builds images and what reads docker-compose.yml are plugins, which an old client lacks. */
async function requirePlugins(): Promise<void> {
  for (const plugin of ['buildx', 'compose']) {
    try {
      await run('docker', [plugin, 'version'])
    } catch {
      throw new UserError(`the Docker client has no plugin "${plugin}": install docker-${plugin}, or set DOCKER_CONFIG`)
    }
  }
}
