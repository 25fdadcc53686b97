/** PostgreSQL with DocumentDB, run from the root file system by plain `chroot`. */
import { mkdir, rename, rm, chown } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { keepRunning, type KeptProcess } from '@gateway-infra/system/keep-running'
import type { ProcessBook } from '@gateway-infra/system/process-book'
import type { Log } from '@gateway-infra/system/progress'
import { run } from '@gateway-infra/system/run'
import { exists } from '../files.ts'
import { userInside } from './rootfs.ts'
import { clearStaleLock } from './stale-lock.ts'

export interface NativeServiceOptions {
  readonly rootfs: string
  /** Inside the root file system, such as `/data/ab12`. */
  readonly dataDir: string
  readonly logDir: string
  readonly book: ProcessBook
  readonly log: Log
}

const BIN = '/usr/lib/postgresql/18/bin'
const ENV = { PATH: `${BIN}:/usr/sbin:/usr/bin:/sbin:/bin`, LANG: 'C.UTF-8', TZ: 'UTC' }
/** Includes replaying the log after a crash. */
const READY_WITHIN_MS = 120_000
/** Changed buffers are written first. */
const STOP_WITHIN_MS = 90_000

/** A quarter of the memory, as PostgreSQL's documentation advises. Most of it is allocated only when data needs it. */
const SHARED_BUFFERS = `${Math.max(256, Math.floor(availableMemory() / 4 / 2 ** 20))}MB`

/** Settings for one machine; the image that is built without a registry has the same, with small buffers. */
export const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  shared_preload_libraries: 'pg_cron,pg_documentdb_core,pg_documentdb',
  'cron.database_name': 'postgres',
  // DocumentDB's jobs build indexes and expire documents; by default they would connect to the port of the first start.
  'cron.use_background_workers': 'on',
  'cron.log_run': 'off',
  'cron.log_statement': 'off',
  max_worker_processes: '32',
  // Each FerretDB connection holds one PostgreSQL connection.
  max_connections: '200',
  shared_buffers: '256MB',
  max_wal_size: '2GB',
  wal_level: 'minimal',
  max_wal_senders: '0',
}

/** Starts PostgreSQL, creates the database at the first start, and waits until it is ready. */
export async function startPostgres(port: number, options: NativeServiceOptions): Promise<KeptProcess> {
  const { rootfs, book, logDir, log } = options
  const user = await userInside(rootfs, 'postgres')
  const folder = `${options.dataDir}/postgres`
  const logFile = join(logDir, 'postgres.log')
  const settings = Object.entries({ ...SETTINGS, shared_buffers: SHARED_BUFFERS, port: String(port) }).flatMap(
    ([name, value]) => ['-c', `${name}=${value}`],
  )
  const psql = ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', '-d', 'postgres', '-v', 'ON_ERROR_STOP=1', '-qc']
  const makeExtension = 'set client_min_messages = warning; create extension if not exists documentdb cascade'
  return keepRunning({
    name: 'postgres',
    command: 'chroot',
    args: [...user.chroot, `${BIN}/postgres`, '-D', folder, ...settings],
    env: ENV,
    logFile,
    stopSignal: 'SIGINT',
    book,
    log,
    prepare: () => makeDatabase({ rootfs, folder, user, logFile }),
    async isReady() {
      await run('chroot', [...user.chroot, `${BIN}/psql`, ...psql, makeExtension], { env: ENV, timeoutMs: READY_WITHIN_MS })
      return true
    },
    readyWithinMs: READY_WITHIN_MS,
    stopWithinMs: STOP_WITHIN_MS,
  })
}

interface DatabaseFolder {
  readonly rootfs: string
  readonly folder: string
  readonly user: Awaited<ReturnType<typeof userInside>>
  readonly logFile: string
}

/** Creates the database at the first start; later it only removes the stale lock of a killed server. */
async function makeDatabase({ rootfs, folder, user, logFile }: DatabaseFolder): Promise<void> {
  if (await exists(join(rootfs, folder))) return clearStaleLock(join(rootfs, folder))
  const building = `${folder}.building`
  await rm(join(rootfs, building), { recursive: true, force: true })
  await mkdir(join(rootfs, building), { recursive: true, mode: 0o700 })
  await chown(join(rootfs, building), user.uid, user.gid)
  const how = ['-A', 'trust', '-U', 'postgres', '--locale=C.UTF-8', '-E', 'UTF8']
  await run('chroot', [...user.chroot, `${BIN}/initdb`, '-D', building, ...how], { env: ENV, logFile })
  await rename(join(rootfs, building), join(rootfs, folder))
}

/** Bytes of memory that this machine or its container may use. */
function availableMemory(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Infinity)
}
