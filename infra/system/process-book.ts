/** Starts processes that must not survive their supervisor, and records them: the next command ends what a killed one left. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { writePrivate } from './private-file.ts'
import { endProcess, identify, isRunning, type ProcessIdentity } from './processes.ts'

export interface ChildOptions {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly cwd?: string
  /** The whole environment of the child: nothing is inherited. */
  readonly env: NodeJS.ProcessEnv
  /** Both output streams are appended to this file; the child keeps writing to it after the supervisor has died. */
  readonly logFile: string
  /** The signal for a graceful stop; SIGTERM by default (PostgreSQL uses SIGINT for a fast shutdown). */
  readonly stopSignal?: NodeJS.Signals
}

interface ProcessRecord extends ProcessIdentity {
  readonly name: string
  readonly stopSignal: NodeJS.Signals
}

/** Changes with each boot; start times from before a boot are void. Empty where the system has none. */
const BOOT_FILE = '/proc/sys/kernel/random/boot_id'
const BOOT_ID = existsSync(BOOT_FILE) ? readFileSync(BOOT_FILE, 'utf8').trim() : ''

export type ProcessBook = ReturnType<typeof openProcessBook>

/** The record of one kind of processes of a state directory. Only the holder of the directory's lock may use it. */
export function openProcessBook(stateDir: string, kind: 'backing' | 'services' | 'engine') {
  const file = join(stateDir, `processes-${kind}.json`)
  let records = readBook(file)
  const write = (changed: ProcessRecord[]): void => {
    records = changed
    writePrivate(file, JSON.stringify({ bootId: BOOT_ID, processes: records }, null, 2))
  }

  return {
    /** Throws when the process cannot be started. */
    async start(options: ChildOptions) {
      const { name, stopSignal = 'SIGTERM' } = options
      const child = spawnDetached(options)
      const exited = once(child, 'exit').then(([code, signal]) =>
        signal === null ? `exit code ${String(code)}` : `signal ${String(signal)}`,
      )
      const identity = child.pid === undefined ? undefined : identify(child.pid)
      if (!identity) throw new Error(`${name} could not be started: ${await exited.catch(String)}`)
      write([...records, { ...identity, name, stopSignal }])
      void exited.then(() => write(records.filter(({ pid }) => pid !== identity.pid)))
      return {
        pid: identity.pid,
        /** Resolves to a description such as `exit code 1` when the process has ended. */
        exited,
        /** Sends the stop signal, waits `graceMs` (15 s), then kills the process group. Can be called more than once. */
        async stop(graceMs?: number) {
          await endProcess(identity, stopSignal, graceMs)
          await exited
        },
      }
    },

    /** The recorded processes that run: those of a supervisor that is still there, or that a killed one left. */
    running: (): readonly { readonly name: string; readonly pid: number }[] => records.filter(isRunning),

    /** Ends the processes that a killed supervisor left running; resolves to their names. */
    async endLeftovers(graceMs?: number): Promise<string[]> {
      const left = records.filter(isRunning)
      await Promise.all(left.map(async (record) => endProcess(record, record.stopSignal, graceMs)))
      write([])
      return left.map(({ name }) => name)
    },
  }
}

/** In its own process group: Ctrl-C in a terminal reaches only the supervisor, which stops everything in order. */
function spawnDetached({ command, args, cwd, env, logFile }: ChildOptions): ChildProcess {
  mkdirSync(dirname(logFile), { recursive: true })
  const output = openSync(logFile, 'a', 0o600)
  try {
    return spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', output, output] })
  } finally {
    closeSync(output)
  }
}

/** The file is our own; of another boot, or damaged, it says nothing. */
function readBook(file: string): ProcessRecord[] {
  try {
    const { bootId, processes } = JSON.parse(readFileSync(file, 'utf8')) as { bootId: string; processes: ProcessRecord[] }
    return bootId === BOOT_ID ? processes.filter(({ pid }) => Number.isSafeInteger(pid) && pid > 1) : []
  } catch {
    return []
  }
}
