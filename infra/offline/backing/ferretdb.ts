/** FerretDB: MongoDB's protocol on PostgreSQL. It stores nothing itself. */
import { mkdir } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Child } from '@gateway-infra/system/child'
import type { ProcessBook } from '@gateway-infra/system/process-book'
import { until } from '@gateway-infra/system/until'
import { pingMongo } from './reachable.ts'

export interface FerretDbOptions {
  readonly binary: string
  readonly port: number
  readonly postgresPort: number
  /** Folder of its small state file. */
  readonly folder: string
  readonly logDir: string
  readonly book: ProcessBook
}

/** One thread less than there are cores: on two cores, passing work between threads cost a fifth of its time. */
const THREADS = Math.max(availableParallelism() - 1, 1)
const READY_WITHIN_MS = 60_000

/** Starts it and waits until it answers a ping. */
export async function startFerretDb(options: FerretDbOptions): Promise<Child & { readonly url: string }> {
  await mkdir(options.folder, { recursive: true })
  const logFile = join(options.logDir, 'ferretdb.log')
  const child = await options.book.start({
    name: 'ferretdb',
    command: options.binary,
    args: [
      `--postgresql-url=postgres://postgres@127.0.0.1:${options.postgresPort}/postgres?pool_max_conns=100`,
      `--listen-addr=127.0.0.1:${options.port}`,
      `--state-dir=${options.folder}`,
      '--no-auth',
      '--telemetry=disable',
      '--debug-addr=-',
      '--log-level=warn',
    ],
    env: { PATH: process.env['PATH'], DO_NOT_TRACK: '1', GOMAXPROCS: String(THREADS) },
    logFile,
  })
  const url = `mongodb://127.0.0.1:${options.port}`
  const answers = async (): Promise<boolean> => pingMongo(url).then(() => true)
  try {
    await until(`ferretdb (its log: ${logFile})`, answers, READY_WITHIN_MS, child.exited)
  } catch (error) {
    await child.stop()
    throw error
  }
  return { ...child, url }
}
