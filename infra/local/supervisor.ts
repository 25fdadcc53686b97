/** Keeps one service running: starts it, waits until it is ready, restarts it when it ends by itself. */
import { readFile, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '@gateway-infra/system/progress'
import { NODE_ARGS, NODE_ENVIRONMENT } from './service-process.ts'
import type { ServiceName } from './services.ts'
import type { Child } from '@gateway-infra/system/child'
import type { ProcessBook } from '@gateway-infra/system/process-book'
import { Stopped } from '@gateway-infra/system/stopping'
import { until } from '@gateway-infra/system/until'
import { UserError } from '@gateway-infra/system/user-error'

export interface ServiceOptions {
  readonly name: ServiceName
  /** The service's folder; `src/main.ts` in it is run. */
  readonly cwd: string
  /** The whole environment of the service. */
  readonly env: NodeJS.ProcessEnv
  readonly logFile: string
  /** Answers 200 once the service can be used. */
  readonly healthUrl: string
  readonly book: ProcessBook
  readonly log: Log
  /** Called after each restart, when the pid is another one. */
  readonly onRestart?: () => void
}

export interface RunningService {
  readonly name: ServiceName
  readonly healthUrl: string
  /** The pid of the current process; changes with a restart. */
  readonly pid: number
  /** Settles when the service is stopped for good. */
  readonly exited: Promise<void>
  /** SIGTERM, then SIGKILL after 15 s. */
  stop(): Promise<void>
}

const READY_WITHIN_MS = 60_000
const HEALTH_TIMEOUT_MS = 3_000
const FIRST_RESTART_MS = 250
const LAST_RESTART_MS = 15_000
/** A service that ran this long is restarted quickly again. */
const STEADY_AFTER_MS = 60_000
const LOG_LIMIT_BYTES = 50 * 1024 * 1024

/** Resolves when the service is ready; throws with the end of its log if it ends before that. */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  await rotate(options.logFile)
  let child = await spawnService(options)
  try {
    await until(options.name, async () => isReady(options.healthUrl), READY_WITHIN_MS, child.exited)
  } catch (error) {
    await child.stop()
    if (error instanceof Stopped) throw error
    throw new UserError(`${describe(error)}. The end of its log, ${options.logFile}:\n${await lastLines(options.logFile)}`)
  }

  const stopped = new AbortController()
  const isStopped = (): boolean => stopped.signal.aborted
  const keepRunning = async (): Promise<void> => {
    for (let restarts = 0, startedAt = Date.now(); ; startedAt = Date.now()) {
      const how = await child.exited
      if (isStopped()) return
      restarts = Date.now() - startedAt > STEADY_AFTER_MS ? 1 : restarts + 1
      const waitMs = restartDelayMs(restarts)
      options.log(`${options.name} ended by itself (${how}); starting it again in ${waitMs} ms. Its log: ${options.logFile}`)
      await delay(waitMs, undefined, { signal: stopped.signal }).catch(() => undefined)
      if (isStopped()) return
      child = await spawnService(options)
      options.onRestart?.()
    }
  }
  const exited = keepRunning()
  exited.catch(() => undefined)

  return {
    name: options.name,
    healthUrl: options.healthUrl,
    get pid() {
      return child.pid
    },
    exited,
    async stop() {
      stopped.abort()
      await child.stop()
      await exited
    },
  }
}

/** The wait before a restart: 250 ms at first, doubling up to 15 s. */
export function restartDelayMs(restarts: number): number {
  return Math.min(FIRST_RESTART_MS * 2 ** Math.min(Math.max(restarts - 1, 0), 30), LAST_RESTART_MS)
}

/** Requests a readiness endpoint; true for status 200. */
export async function isReady(healthUrl: string): Promise<boolean> {
  const response = await fetch(healthUrl, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) })
  await response.body?.cancel()
  return response.status === 200
}

async function spawnService({ name, cwd, env, logFile, book }: ServiceOptions): Promise<Child> {
  return book.start({
    name,
    command: process.execPath,
    args: [...NODE_ARGS, join(cwd, 'src/main.ts')],
    cwd,
    env: { ...NODE_ENVIRONMENT, ...env },
    logFile,
  })
}

/** Keeps one older log file, so that logs do not fill the disk over many starts. */
async function rotate(logFile: string): Promise<void> {
  const size = await stat(logFile).then(
    (found) => found.size,
    () => 0,
  )
  if (size > LOG_LIMIT_BYTES) await rename(logFile, `${logFile}.1`)
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

async function lastLines(logFile: string): Promise<string> {
  const text = await readFile(logFile, 'utf8').catch(() => '')
  return text.trimEnd().split('\n').slice(-15).join('\n')
}
