/** Which process is which: a pid alone is not enough, since the kernel gives it to somebody else later. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

export interface ProcessIdentity {
  readonly pid: number
  /** When it started, as this system tells it: on Linux field 22 of /proc/<pid>/stat, in clock ticks from boot. */
  readonly startedAt: string
}

/** Changes with each boot, where the system has such a thing: start times before it mean nothing. */
export const BOOT_ID = readText('/proc/sys/kernel/random/boot_id')?.trim() ?? ''

/** `undefined` when there is no such process, or only its zombie. */
export function identify(pid: number): ProcessIdentity | undefined {
  const startedAt = process.platform === 'linux' ? startTicks(pid) : startDate(pid)
  return startedAt === undefined || startedAt === '' ? undefined : { pid, startedAt }
}

/** True while the very process that was recorded runs. */
export function isRunning(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.startedAt === identity.startedAt
}

function startTicks(pid: number): string | undefined {
  const stat = readText(`/proc/${pid}/stat`)
  if (stat === undefined) return undefined
  // The name in parentheses may itself hold spaces and parentheses.
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

/** `undefined` when it cannot be read: what is in /proc goes with its process. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
