import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { endProcess } from './end-process.ts'
import { identify, type ProcessIdentity } from './process-identity.ts'

export interface ChildOptions {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly cwd?: string
  /** The whole environment of the child: nothing is inherited. */
  readonly env: NodeJS.ProcessEnv
  /** Both output streams are appended to this file, which goes on working when the supervisor is gone. */
  readonly logFile: string
  /** What asks this process to end well; SIGTERM unless told (PostgreSQL takes SIGINT for a fast shutdown). */
  readonly stopSignal?: NodeJS.Signals
}

export interface Child {
  readonly name: string
  readonly pid: number
  /** Settles with words such as `exit code 1` once the process is gone. */
  readonly exited: Promise<string>
  /** Asks it to end, waits `graceMs` (15 s), then kills its whole process group; safe to call again. */
  stop(graceMs?: number): Promise<void>
}

/** `onStart` hears of the new process before anything else can happen. */
export async function spawnChild(options: ChildOptions, onStart: (identity: ProcessIdentity) => void): Promise<Child> {
  const child = spawnDetached(options)
  const exited = once(child, 'exit').then(([code, signal]) =>
    signal === null ? `exit code ${String(code)}` : `signal ${String(signal)}`,
  )
  exited.catch(() => undefined)

  const identity = child.pid === undefined ? undefined : identify(child.pid)
  if (!identity) {
    const [error] = (await Promise.race([once(child, 'error'), exited.then((how) => [how])])) as unknown[]
    throw new Error(`${options.name} could not be started: ${String(error)}`)
  }
  onStart(identity)

  return {
    name: options.name,
    pid: identity.pid,
    exited,
    async stop(graceMs) {
      await endProcess(identity, options.stopSignal ?? 'SIGTERM', graceMs)
      await exited
    },
  }
}

/** A process group of its own: Ctrl-C in a terminal reaches the supervisor alone, which ends everything in order. */
function spawnDetached(options: ChildOptions): ChildProcess {
  mkdirSync(dirname(options.logFile), { recursive: true })
  const output = openSync(options.logFile, 'a', 0o600)
  try {
    const { cwd, env } = options
    return spawn(options.command, options.args, { cwd, env, detached: true, stdio: ['ignore', output, output] })
  } finally {
    closeSync(output)
  }
}
