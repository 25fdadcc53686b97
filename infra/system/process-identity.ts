/** Identifies a process by pid and start time, since the kernel reuses pids. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

export interface ProcessIdentity {
  readonly pid: number
  /** Start time as the system reports it: on Linux field 22 of /proc/<pid>/stat, in clock ticks since boot. */
  readonly startedAt: string
}

/** Changes with each boot; start times from before a boot are void. Empty where the system has none. */
export const BOOT_ID = readText('/proc/sys/kernel/random/boot_id')?.trim() ?? ''

/** `undefined` when the process does not exist or is a zombie. */
export function identify(pid: number): ProcessIdentity | undefined {
  const startedAt = process.platform === 'linux' ? startTicks(pid) : startDate(pid)
  return startedAt === undefined || startedAt === '' ? undefined : { pid, startedAt }
}

/** True while exactly this process is running. */
export function isRunning(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.startedAt === identity.startedAt
}

function startTicks(pid: number): string | undefined {
  const stat = readText(`/proc/${pid}/stat`)
  if (stat === undefined) return undefined
  // The name in parentheses may contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields[0] === 'Z' ? undefined : fields[19]
}

function startDate(pid: number): string | undefined {
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim()
  } catch {
    return undefined
  }
}

/** `undefined` when the file cannot be read: entries in /proc disappear with their process. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
