import { readFileSync } from 'node:fs'
import type { CpuGroup } from '../cpu.ts'
import type { Counters } from './counters.ts'

/** Bytes that each group of processes has caused to be written to disk (proc(5), `write_bytes`): pages, not what was in them. */
export function readDiskWrites(groups: readonly CpuGroup[]): Counters {
  return Object.fromEntries(
    groups.map(({ name, pid, withChildren = false }) => {
      const pids = withChildren ? [pid, ...childrenOf(pid)] : [pid]
      return [name, pids.reduce((sum, one) => sum + writtenBy(one), 0)]
    }),
  )
}

function childrenOf(pid: number): number[] {
  return readText(`/proc/${pid}/task/${pid}/children`).split(' ').map(Number).filter(Boolean)
}

function writtenBy(pid: number): number {
  return Number(/^write_bytes: (\d+)/mu.exec(readText(`/proc/${pid}/io`))?.[1] ?? 0)
}

/** Empty when the process has ended, or is not ours to look at. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
