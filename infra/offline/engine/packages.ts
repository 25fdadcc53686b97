/** Installs the Docker engine and the client's plugins from Debian packages. */
import { existsSync } from 'node:fs'
import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Progress } from '@gateway-infra/system/progress'
import { buildOnce, removeTree } from '../build-once.ts'
import { bootstrapDebian, installPackages, unlessRunnable, type PackageLogs } from '../debian.ts'

/** Bookworm's client has neither; sid's plugins work with any client. */
const PLUGINS = ['docker-compose', 'docker-buildx']
const NEEDED = ['/usr/sbin/dockerd', '/usr/bin/docker', '/usr/sbin/iptables', '/usr/sbin/ip']
const POLICY = '/usr/sbin/policy-rc.d'

/** Installs engine, client and network tools; starts nothing. */
export async function ensureEnginePackages(logs: PackageLogs): Promise<void> {
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
export async function ensurePlugins(cacheDir: string, logs: PackageLogs, progress: Progress): Promise<string> {
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
