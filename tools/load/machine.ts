import { execFileSync } from 'node:child_process'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { connect } from 'amqplib'
import { mongo } from 'mongoose'

/** The machine, the servers and the commit that figures were measured on. Figures mean little without them. */
export async function describeMachine(mongoUrl: string, amqpUrl: string) {
  return {
    machine: {
      cpu: cpus()[0]?.model ?? 'unknown',
      cores: availableParallelism(),
      memory_gib: Math.round(totalmem() / 2 ** 30),
      platform: `${process.platform} ${process.arch}`,
    },
    versions: { node: process.versions.node, ...(await versionsOf(mongoUrl, amqpUrl)) },
    commit: commit(),
    at: new Date().toISOString(),
  }
}

async function versionsOf(mongoUrl: string, amqpUrl: string): Promise<Record<string, string>> {
  const client = await new mongo.MongoClient(mongoUrl).connect()
  const build: Record<string, unknown> = await client.db('admin').command({ buildInfo: 1 })
  await client.close()
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

/** With `+` when files differ from it; `unknown` outside a repository. */
function commit(): string {
  try {
    const git = (...args: string[]) => execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).trim()
    return git('rev-parse', '--short=12', 'HEAD') + (git('status', '--porcelain', '--untracked-files=no') === '' ? '' : '+')
  } catch {
    return 'unknown'
  }
}
