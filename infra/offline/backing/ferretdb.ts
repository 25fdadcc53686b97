/** FerretDB: MongoDB's protocol on PostgreSQL. It stores nothing itself. */
import { mkdir } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { keepRunning, type KeptProcess } from '@gateway-infra/system/keep-running'
import type { NativeServiceOptions } from './postgres.ts'
import { pingMongo } from './reachable.ts'

export interface FerretDbOptions extends Pick<NativeServiceOptions, 'logDir' | 'book' | 'log'> {
  readonly binary: string
  readonly port: number
  readonly postgresPort: number
  /** Folder of its small state file. */
  readonly folder: string
}

/** One thread less than there are cores: on two cores, passing work between threads cost a fifth of its time. */
const THREADS = Math.max(availableParallelism() - 1, 1)
const READY_WITHIN_MS = 60_000

/** Starts it and waits until it answers a ping. */
export async function startFerretDb(options: FerretDbOptions): Promise<KeptProcess> {
  const { binary, port, postgresPort, folder, logDir, book, log } = options
  await mkdir(folder, { recursive: true })
  return keepRunning({
    name: 'ferretdb',
    command: binary,
    args: [
      `--postgresql-url=postgres://postgres@127.0.0.1:${postgresPort}/postgres?pool_max_conns=100`,
      `--listen-addr=127.0.0.1:${port}`,
      `--state-dir=${folder}`,
      '--no-auth',
      '--telemetry=disable',
      '--debug-addr=-',
      '--log-level=warn',
    ],
    env: { PATH: process.env['PATH'], DO_NOT_TRACK: '1', GOMAXPROCS: String(THREADS) },
    logFile: join(logDir, 'ferretdb.log'),
    book,
    log,
    isReady: () => pingMongo(`mongodb://127.0.0.1:${port}`),
    readyWithinMs: READY_WITHIN_MS,
  })
}
