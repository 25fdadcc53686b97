/** Processes by pid and start time, since the kernel reuses pids. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

export interface ProcessIdentity {
  readonly pid: number
  /** Start time as the system reports it: on Linux field 22 of /proc/<pid>/stat, in clock ticks since boot. */
  readonly startedAt: string
}

const GRACE_MS = 15_000
const KILLED_WITHIN_MS = 10_000
const POLL_MS = 50

/** `undefined` when the process does not exist or is a zombie. */
export function identify(pid: number): ProcessIdentity | undefined {
  try {
    if (process.platform !== 'linux') {
      const startedAt = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim()
      return startedAt === '' ? undefined : { pid, startedAt }
    }
    const fields = statFields(pid)
    return fields[0] === 'Z' ? undefined : { pid, startedAt: fields[19] ?? '' }
  } catch {
    return undefined
  }
}

/** True while exactly this process is running. */
export function isRunning(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.startedAt === identity.startedAt
}

/** The fields of /proc/<pid>/stat from the third on, the state (proc(5)). Throws when the process is gone. */
function statFields(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name in parentheses may contain spaces and parentheses.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** Resident memory in MiB; NaN when the process is gone. Linux only (proc(5)). */
export function residentMb(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/mu.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? NaN) / 1024
  } catch {
    return NaN
  }
}

/** Linux counts processor time in ticks of 10 ms for programs (USER_HZ). */
const TICK_MS = 10

/** Milliseconds of processor time since their start, of processes, their descendants and ended ones. Linux only (proc(5)). */
export function processorMs(roots: readonly number[]): number {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  const stats = new Map(
    pids.flatMap((pid) => {
      try {
        return [[pid, statFields(pid).map(Number)] as const]
      } catch {
        return [] // It has just ended.
      }
    }),
  )
  const isCounted = (pid: number): boolean => roots.includes(pid) || (stats.has(pid) && isCounted(stats.get(pid)?.[1] ?? 0))
  const counted = [...stats].filter(([pid]) => isCounted(pid))
  // utime, stime, and both of the children that it has waited for.
  const ticks = counted.flatMap(([, fields]) => fields.slice(11, 15))
  return ticks.reduce((total, each) => total + each, 0) * TICK_MS
}

/** Sends a signal to a process, or to a process group when `pid` is negative. */
export function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // Already gone.
  }
}

/** Returns false if the process is still running after `withinMs`. */
export async function isGoneWithin(identity: ProcessIdentity, withinMs: number): Promise<boolean> {
  const deadline = Date.now() + withinMs
  while (isRunning(identity)) {
    if (Date.now() > deadline) return false
    await delay(POLL_MS)
  }
  return true
}

/** Signals a process group's leader and waits; after `graceMs` the whole group is killed. Does nothing if it has ended already. */
export async function endProcess(identity: ProcessIdentity, stopSignal: NodeJS.Signals, graceMs = GRACE_MS): Promise<void> {
  if (!isRunning(identity)) return
  sendSignal(identity.pid, stopSignal)
  const isGone = await isGoneWithin(identity, graceMs)
  // Also after a graceful end: processes that it started may still be in its group.
  sendSignal(-identity.pid, 'SIGKILL')
  if (!isGone) await isGoneWithin(identity, KILLED_WITHIN_MS)
}
