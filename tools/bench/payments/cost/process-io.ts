import { readFileSync } from 'node:fs'
import type { CpuGroup } from '../cpu.ts'
import type { Counters } from './counters.ts'

/**
 * Bytes that each process has caused to be written to disk (proc(5), `write_bytes`), in whole pages. Right for what only appends:
 * logs, and the broker. PostgreSQL is left out, since it writes again into old files, of which the kernel holds a megabyte as one
 * piece and counts all of it; it is asked itself.
 */
export function readDiskWrites(groups: readonly CpuGroup[]): Counters {
  const appending = groups.filter(({ name }) => name !== 'postgres')
  return Object.fromEntries(appending.map(({ name, pid }) => [name, writtenBy(pid)]))
}

/** Zero when the process has ended, or is not ours to look at. */
function writtenBy(pid: number): number {
  try {
    return Number(/^write_bytes: (\d+)/mu.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}
