/** PostgreSQL with DocumentDB, run from the root file system by plain `chroot`. */
import { existsSync } from 'node:fs'
import { chown, mkdir, readdir, readFile, readlink, rename, rm } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { keepRunning, type KeptProcess } from '@gateway-infra/system/keep-running'
import { sendSignal } from '@gateway-infra/system/processes'
import { run } from '@gateway-infra/system/run'
import { userInside, type Native } from './rootfs.ts'

const BIN = '/usr/lib/postgresql/18/bin'
const ENV = { PATH: `${BIN}:/usr/sbin:/usr/bin:/sbin:/bin`, LANG: 'C.UTF-8', TZ: 'UTC' }
/** Includes replaying the log after a crash. */
const READY_WITHIN_MS = 120_000
/** Changed buffers are written first. */
const STOP_WITHIN_MS = 90_000
const ORPHANS_LEAVE_WITHIN_MS = 10_000
const POLL_MS = 50

/** Bytes of memory that this machine or its container may use. */
const MEMORY = Math.min(totalmem(), process.constrainedMemory() || Infinity)
/** A quarter of the memory, as PostgreSQL's documentation advises. Most of it is allocated only when data needs it. */
const SHARED_BUFFERS = `${Math.max(256, Math.floor(MEMORY / 4 / 2 ** 20))}MB`

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
export async function startPostgres(port: number, native: Native): Promise<KeptProcess> {
  const user = await userInside(native.rootfs, 'postgres')
  const folder = `${native.dataDir}/postgres`
  const logFile = join(native.logDir, 'postgres.log')
  const inside = (program: string, ...args: readonly string[]) => [...user.chroot, `${BIN}/${program}`, ...args]
  const settings = Object.entries({ ...SETTINGS, shared_buffers: SHARED_BUFFERS, port: String(port) })
  const psql = ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', '-d', 'postgres', '-v', 'ON_ERROR_STOP=1', '-qc']
  const makeExtension = 'set client_min_messages = warning; create extension if not exists documentdb cascade'

  /** Creates the database at the first start; later it only removes the stale lock of a killed server. */
  const prepare = async (): Promise<void> => {
    const outside = join(native.rootfs, folder)
    if (existsSync(outside)) return clearStaleLock(outside)
    await rm(`${outside}.building`, { recursive: true, force: true })
    await mkdir(`${outside}.building`, { recursive: true, mode: 0o700 })
    await chown(`${outside}.building`, user.uid, user.gid)
    const how = ['-A', 'trust', '-U', 'postgres', '--locale=C.UTF-8', '-E', 'UTF8']
    await run('chroot', inside('initdb', '-D', `${folder}.building`, ...how), { env: ENV, logFile })
    await rename(`${outside}.building`, outside)
  }
  return keepRunning({
    ...native,
    name: 'postgres',
    command: 'chroot',
    args: inside('postgres', '-D', folder, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])),
    env: ENV,
    logFile,
    stopSignal: 'SIGINT',
    prepare,
    async isReady() {
      await run('chroot', inside('psql', ...psql, makeExtension), { env: ENV, timeoutMs: READY_WITHIN_MS })
      return true
    },
    readyWithinMs: READY_WITHIN_MS,
    stopWithinMs: STOP_WITHIN_MS,
  })
}

/**
 * Removes the lock file of a killed PostgreSQL. Its `postmaster.pid` names a pid that may now be a zombie or another process;
 * either would prevent a start. The file is removed only when no process works in the folder any more: all of PostgreSQL's
 * processes do, and an orphaned one that still writes would destroy the data.
 */
async function clearStaleLock(folder: string): Promise<void> {
  const lockFile = join(folder, 'postmaster.pid')
  if ((await readFile(lockFile, 'utf8').catch(() => '')) === '') return
  const deadline = Date.now() + ORPHANS_LEAVE_WITHIN_MS
  for (let orphans = await processesIn(folder); orphans.length > 0; orphans = await processesIn(folder)) {
    if (Date.now() > deadline) for (const pid of orphans) sendSignal(pid, 'SIGKILL')
    await delay(POLL_MS)
  }
  await rm(lockFile, { force: true })
}

async function processesIn(folder: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const folders = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => '')))
  return pids.filter((_, index) => folders[index] === folder)
}
