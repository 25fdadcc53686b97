import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { connect } from 'amqplib'
import type { World } from './world.ts'

/** What the figures belong to. */
export async function describeMachine({ place }: Pick<World, 'place'>) {
  return {
    machine: {
      cpu: cpus()[0]?.model ?? 'unknown',
      cores: availableParallelism(),
      memory_gib: Math.round(totalmem() / 2 ** 30),
      platform: `${process.platform} ${process.arch}`,
    },
    versions: { node: process.versions.node, ...clientVersions(), ...(await serverVersions(place)) },
    commit: commit(),
  }
}

async function serverVersions({ client, amqpUrl }: World['place']): Promise<Record<string, string>> {
  const build: Record<string, unknown> = await client.db('admin').command({ buildInfo: 1 })
  const { ferretdb, version } = build
  const isFerret = typeof ferretdb === 'object' && ferretdb !== null && 'version' in ferretdb
  const connection = await connect(amqpUrl)
  const { product, version: broker } = connection.connection.serverProperties
  await connection.close()
  return {
    database: isFerret ? `FerretDB ${String(ferretdb.version)}` : `MongoDB ${String(version)}`,
    broker: `${product} ${broker}`,
  }
}

function clientVersions(): Record<string, string> {
  const versionOf = (name: string): string => {
    const file = new URL(`../node_modules/${name}/package.json`, import.meta.url)
    return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
  }
  return Object.fromEntries(['undici', 'amqplib', 'mongoose'].map((name) => [name, versionOf(name)]))
}

/** With `+` when files differ from it; `unknown` outside a repository. */
function commit(): string {
  try {
    const git = (...args: string[]) => execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).trim()
    return git('rev-parse', '--short=12', 'HEAD') + (git('status', '--porcelain', '--untracked-files=no') === '' ? '' : '+')
  } catch {
    return 'unknown'
  }
}
