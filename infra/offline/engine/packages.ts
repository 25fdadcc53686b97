/** Installs the Docker engine and the client's plugins from Debian packages. */
import { constants } from 'node:fs'
import { access, cp, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bootstrapDebian, ensureDebianPackages, exists, removeTree } from '../backing/rootfs.ts'
import type { Progress } from '@gateway-infra/system/progress'
import { withLock } from '@gateway-infra/system/lock'

/** Bookworm's client has neither; sid's plugins work with any client. */
const PLUGINS = ['docker-compose', 'docker-buildx']
const NEEDED = ['/usr/sbin/dockerd', '/usr/bin/docker', '/usr/sbin/iptables', '/usr/sbin/ip']
const POLICY = '/usr/sbin/policy-rc.d'

/** Installs engine, client and network tools; starts nothing. */
export async function ensureEnginePackages(logFile: string, progress: Progress): Promise<void> {
  const isThere = async (): Promise<boolean> => (await Promise.all(NEEDED.map(isExecutable))).every(Boolean)
  if (await isThere()) return
  // Installing the package would start its service; this program prevents it.
  const mayStart = !(await exists(POLICY))
  if (mayStart) await writeFile(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  try {
    await ensureDebianPackages(['docker.io', 'iptables', 'iproute2'], isThere, logFile, progress)
  } finally {
    if (mayStart) await rm(POLICY, { force: true })
  }
}

/** A folder for `DOCKER_CONFIG` with both plugins and no credentials. */
export async function ensurePlugins(cacheDir: string, logFile: string, progress: Progress): Promise<string> {
  const folder = join(cacheDir, 'docker-client')
  if (await exists(folder)) return folder
  await mkdir(cacheDir, { recursive: true })
  return withLock(folder, async () => {
    if (await exists(folder)) return folder
    const building = `${folder}.building`
    const extracted = `${folder}.debian`
    for (const path of [building, extracted]) await removeTree(path)
    await progress.during('fetching the plugins of the Docker client', async () =>
      bootstrapDebian(extracted, PLUGINS, logFile, progress, 'extract'),
    )
    await mkdir(building, { recursive: true })
    await cp(join(extracted, 'usr/libexec/docker/cli-plugins'), join(building, 'cli-plugins'), { recursive: true })
    await removeTree(extracted)
    await rename(building, folder)
    return folder
  })
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}
