/** A Docker engine for one piece of work: the running one, else Debian's, which is removed afterwards with everything in it. */
import { existsSync } from 'node:fs'
import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '@gateway-infra/system/command'
import { withLock } from '@gateway-infra/system/lock'
import { dockerIsImpossible, run, succeeds } from '@gateway-infra/system/run'
import type { Progress } from '@gateway-infra/system/progress'
import { UserError } from '@gateway-infra/system/user-error'
import { nativeIsImpossible } from '../backing/rootfs.ts'
import { buildOnce, removeTree } from '../build-once.ts'
import { bootstrapDebian, installPackages, unlessRunnable, type PackageLogs } from '../debian.ts'
import { startEngine } from './dockerd.ts'

/** Bookworm's client has neither; sid's plugins work with any client. */
const PLUGINS = ['docker-compose', 'docker-buildx']
const NEEDED = ['/usr/sbin/dockerd', '/usr/bin/docker', '/usr/sbin/iptables', '/usr/sbin/ip']
const POLICY = '/usr/sbin/policy-rc.d'

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

/** Installs engine, client and network tools; starts nothing. */
async function ensureEnginePackages(logs: PackageLogs): Promise<void> {
  const missing = () => unlessRunnable(NEEDED, ['docker.io', 'iptables', 'iproute2'])
  if (missing().length === 0) return
  // Installing the package would start its service; this program prevents it.
  const mayStart = !existsSync(POLICY)
  if (mayStart) await writeFile(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  try {
    await installPackages(missing, logs)
  } finally {
    if (mayStart) await rm(POLICY, { force: true })
  }
}

/** A folder for `DOCKER_CONFIG` with both plugins and no credentials. */
async function ensurePlugins(cacheDir: string, logs: PackageLogs, progress: Progress): Promise<string> {
  const title = 'fetching the plugins of the Docker client'
  return buildOnce(join(cacheDir, 'docker-client'), title, progress, async (folder) => {
    const extracted = `${folder}.debian`
    await removeTree(extracted)
    await bootstrapDebian(extracted, PLUGINS, logs, 'extract')
    await mkdir(folder, { recursive: true })
    await cp(join(extracted, 'usr/libexec/docker/cli-plugins'), join(folder, 'cli-plugins'), { recursive: true })
    await removeTree(extracted)
  })
}
