import { readdir, readFile, readlink, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { sendSignal } from '@gateway-infra/system/processes'

const LEAVE_WITHIN_MS = 10_000
const POLL_MS = 50

/**
 * Removes the lock file of a killed PostgreSQL. Its `postmaster.pid` names a pid that may now be a zombie or another process;
 * either would prevent a start. The file is removed only when no process works in the folder any more: all of PostgreSQL's
 * processes do, and an orphaned one that still writes would destroy the data.
 */
export async function clearStaleLock(folder: string): Promise<void> {
  const lockFile = join(folder, 'postmaster.pid')
  if ((await readFile(lockFile, 'utf8').catch(() => '')) === '') return
  const deadline = Date.now() + LEAVE_WITHIN_MS
  for (let orphans = await processesIn(folder); orphans.length > 0; orphans = await processesIn(folder)) {
    if (Date.now() > deadline) for (const pid of orphans) sendSignal(pid, 'SIGKILL')
    await delay(POLL_MS)
  }
  await rm(lockFile, { force: true })
}

async function processesIn(folder: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const found = await Promise.all(
    pids.map(async (pid) => ((await readlink(`/proc/${pid}/cwd`).catch(() => '')) === folder ? [pid] : [])),
  )
  return found.flat()
}
