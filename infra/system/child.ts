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
  /** Both output streams are appended to this file; the child keeps writing to it after the supervisor has died. */
  readonly logFile: string
  /** The signal for a graceful stop; SIGTERM by default (PostgreSQL uses SIGINT for a fast shutdown). */
  readonly stopSignal?: NodeJS.Signals
}

export interface Child {
  readonly name: string
  readonly pid: number
  /** Resolves to a description such as `exit code 1` when the process has ended. */
  readonly exited: Promise<string>
  /** Sends the stop signal, waits `graceMs` (15 s), then kills the process group. Can be called more than once. */
  stop(graceMs?: number): Promise<void>
}

/** Starts a process. `onStart` is called synchronously, before the process can end. Throws when it cannot be started. */
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

/** In its own process group: Ctrl-C in a terminal reaches only the supervisor, which stops everything in order. */
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
