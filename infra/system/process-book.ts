/**
 * Records the processes that must not survive their supervisor. Each is written to a file at its start, so that the next
 * command can end exactly these processes after the supervisor was killed.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { spawnChild, type Child, type ChildOptions } from './child.ts'
import { endProcess } from './end-process.ts'
import { BOOT_ID, isRunning, type ProcessIdentity } from './process-identity.ts'
import { writePrivate } from './private-file.ts'

interface ProcessRecord extends ProcessIdentity {
  readonly name: string
  readonly stopSignal: NodeJS.Signals
}

/** The processes of one state directory. Only the holder of the directory's lock may start and end them. */
export interface ProcessBook {
  start(options: ChildOptions): Promise<Child>
  /** Names of the processes that a killed supervisor left running. */
  leftovers(): string[]
  /** Ends the processes that a killed supervisor left running; resolves to their names. */
  endLeftovers(graceMs?: number): Promise<string[]>
}

/** Opens the record of one kind of processes; each kind has its own file. */
export function openProcessBook(stateDir: string, kind: 'backing' | 'services' | 'engine'): ProcessBook {
  const file = join(stateDir, `processes-${kind}.json`)
  let records = readBook(file)
  const write = (changed: ProcessRecord[]): void => {
    records = changed
    writePrivate(file, JSON.stringify({ bootId: BOOT_ID, processes: records }, null, 2))
  }

  return {
    async start(options) {
      const child = await spawnChild(options, (identity) => {
        write([...records, { ...identity, name: options.name, stopSignal: options.stopSignal ?? 'SIGTERM' }])
      })
      void child.exited.then(() => write(records.filter(({ pid }) => pid !== child.pid)))
      return child
    },

    leftovers: () => records.filter(isRunning).map(({ name }) => name),

    async endLeftovers(graceMs) {
      const left = records.filter(isRunning)
      await Promise.all(left.map(async (record) => endProcess(record, record.stopSignal, graceMs)))
      write([])
      return left.map(({ name }) => name)
    },
  }
}

function readBook(file: string): ProcessRecord[] {
  let parsed: unknown
  try {
    parsed = JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return []
  }
  if (typeof parsed !== 'object' || parsed === null || !('bootId' in parsed) || parsed.bootId !== BOOT_ID) return []
  return 'processes' in parsed && Array.isArray(parsed.processes) ? parsed.processes.filter(isRecord) : []
}

function isRecord(value: unknown): value is ProcessRecord {
  if (typeof value !== 'object' || value === null || !('pid' in value)) return false
  const { pid, startedAt, name, stopSignal } = value as Partial<Record<keyof ProcessRecord, unknown>>
  const texts = [startedAt, name, stopSignal].every((text) => typeof text === 'string')
  return texts && typeof pid === 'number' && Number.isSafeInteger(pid) && pid > 1
}
