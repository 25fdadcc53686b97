/** Keeps one process running: starts it, waits until it is ready, starts it again when it ends by itself. */
import { readFile, rename, stat } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { ChildOptions, ProcessBook } from './process-book.ts'
import type { Log } from './progress.ts'
import { Stopped, until } from './stopping.ts'
import { UserError } from './user-error.ts'

export interface KeepRunningOptions extends ChildOptions {
  readonly book: ProcessBook
  readonly log: Log
  /** Runs before each start. */
  prepare?(): Promise<void>
  /** Polled after the first start. */
  isReady(): Promise<boolean>
  readonly readyWithinMs: number
  /** How long a stop may take before the process is killed; 15 s by default. */
  readonly stopWithinMs?: number
  /** Called after each restart, when the pid is another one. */
  onRestart?(): void
  /** False for a process that stays down when it ends. */
  readonly restarts?: boolean
}

export type KeptProcess = Awaited<ReturnType<typeof keepRunning>>

const FIRST_RESTART_MS = 250
const LAST_RESTART_MS = 15_000
/** A process that ran this long is restarted quickly again. */
const STEADY_AFTER_MS = 60_000
const LOG_LIMIT_BYTES = 50 * 1024 * 1024

/** Resolves when the process is ready. Throws with the end of its log if it ends before that or is not ready in time. */
export async function keepRunning(options: KeepRunningOptions) {
  const { name, logFile, log } = options
  // One older file is kept, so that logs do not fill the disk over many starts.
  const found = await stat(logFile).catch(() => undefined)
  if (found && found.size > LOG_LIMIT_BYTES) await rename(logFile, `${logFile}.1`)
  const start = async () => {
    await options.prepare?.()
    return options.book.start(options)
  }
  let child = await start()
  try {
    await until(name, () => options.isReady(), options.readyWithinMs, child.exited)
  } catch (error) {
    await child.stop(options.stopWithinMs)
    if (error instanceof Stopped) throw error
    const lines = (await readFile(logFile, 'utf8').catch(() => '')).trimEnd().split('\n').slice(-15)
    throw new UserError(`${messageOf(error)}. The end of its log, ${logFile}:\n${lines.join('\n')}`, { cause: error })
  }

  const stopped = new AbortController()
  // A function, since the compiler takes a property for unchanged after an `await`.
  const isStopped = (): boolean => stopped.signal.aborted
  const restart = async (): Promise<void> => {
    for (let restarts = 0, startedAt = Date.now(); ; startedAt = Date.now()) {
      const how = await child.exited
      if (isStopped()) return
      restarts = Date.now() - startedAt > STEADY_AFTER_MS ? 1 : restarts + 1
      const waitMs = restartDelayMs(restarts)
      log(`${name} ended by itself (${how}); starting it again in ${waitMs} ms. Its log: ${logFile}`)
      await delay(waitMs, undefined, { signal: stopped.signal }).catch(() => undefined)
      if (isStopped()) return
      try {
        child = await start()
        options.onRestart?.()
      } catch (error) {
        log(`${name} was not started: ${messageOf(error)}`)
      }
      // The stop may have come while the process was being started.
      if (isStopped()) await child.stop(options.stopWithinMs)
    }
  }
  const ended = options.restarts === false ? undefined : restart()
  return {
    name,
    /** The pid of the current process; changes with a restart. */
    get pid(): number {
      return child.pid
    },
    async stop(): Promise<void> {
      stopped.abort()
      await child.stop(options.stopWithinMs)
      await ended
    },
  }
}

/** The wait before a restart: 250 ms at first, doubling up to 15 s. */
export function restartDelayMs(restarts: number): number {
  return Math.min(FIRST_RESTART_MS * 2 ** Math.min(Math.max(restarts - 1, 0), 30), LAST_RESTART_MS)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
