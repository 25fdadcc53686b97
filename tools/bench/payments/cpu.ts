import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** CPU milliseconds since their start, of each named group of processes. Linux only; a group that cannot be read has 0. */
export type CpuTimes = Readonly<Record<string, number>>

/** Milliseconds per clock tick: the kernel shows times to programs in hundredths of a second (proc(5)). */
const TICK_MS = 10

export interface CpuGroup {
  readonly name: string
  readonly pid: number
  /** Its children count too, those included that have ended. */
  readonly withChildren?: boolean
}

export function readCpu(groups: readonly CpuGroup[]): CpuTimes {
  const all = groups.some(({ withChildren }) => withChildren) ? allProcesses() : []
  return Object.fromEntries(
    groups.map(({ name, pid, withChildren = false }) => {
      const own = readStat(pid)
      if (!own) return [name, 0]
      const children = withChildren ? all.filter(({ parent }) => parent === pid) : []
      const ticks = own.ticks + (withChildren ? own.endedTicks : 0) + children.reduce((sum, child) => sum + child.ticks, 0)
      return [name, ticks * TICK_MS]
    }),
  )
}

export function cpuBetween(before: CpuTimes, after: CpuTimes): CpuTimes {
  return Object.fromEntries(Object.entries(after).map(([name, ms]) => [name, ms - (before[name] ?? 0)]))
}

/** The process that listens on a TCP port of this machine; `undefined` when that is another machine's or another user's. */
export function listenerOf(port: number): number | undefined {
  const inode = ['/proc/net/tcp', '/proc/net/tcp6']
    .flatMap(readLines)
    .map(parseSocket)
    .find((socket) => socket?.port === port)?.inode
  return inode === undefined ? undefined : pids().find((pid) => holds(pid, `socket:[${inode}]`))
}

/** Resident memory in MiB. */
export function memoryMb(pid: number): number {
  const line = readLines(`/proc/${pid}/status`).find((text) => text.startsWith('VmRSS:'))
  return Number(/\d+/u.exec(line ?? '')?.[0] ?? NaN) / 1024
}

export function commandLineOf(pid: number): string {
  return readText(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')
}

interface Stat {
  readonly parent: number
  readonly ticks: number
  readonly endedTicks: number
}

/** Fields 4 and 14 to 17 of /proc/<pid>/stat; the name before them may itself hold spaces. */
function readStat(pid: number): Stat | undefined {
  const text = readText(`/proc/${pid}/stat`)
  if (text === '') return undefined
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const at = (index: number) => fields[index] ?? 0
  return { parent: at(1), ticks: at(11) + at(12), endedTicks: at(13) + at(14) }
}

function allProcesses(): Stat[] {
  return pids().flatMap((pid) => readStat(pid) ?? [])
}

function pids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .map(Number)
}

/** One line of /proc/net/tcp, when it is a listening socket. */
function parseSocket(line: string): { port: number; inode: string } | undefined {
  const fields = line.trim().split(/\s+/u)
  const port = Number.parseInt(fields[1]?.split(':')[1] ?? '', 16)
  return fields[3] === '0A' ? { port, inode: fields[9] ?? '' } : undefined
}

function holds(pid: number, target: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`) === target
      } catch {
        return false
      }
    })
  } catch {
    return false
  }
}

function readLines(path: string): string[] {
  return readText(path).split('\n')
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
