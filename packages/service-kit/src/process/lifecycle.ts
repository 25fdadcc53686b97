import type { ServerConfig } from '../config/common.ts'
import type { EnvReader } from '../config/reader.ts'
import { ConfigInvalid, readConfig } from '../config/read-config.ts'
import { createLog, type Log } from '../logging/logger.ts'
import { startTracing } from '../tracing/start-tracing.ts'

/** One thing to stop, with what is left of the deadline. */
export interface Stoppable {
  readonly name: string
  /** Says that it will stop, and goes on as before until it is stopped. */
  readonly retire?: () => void
  stop(deadlineMs: number): Promise<unknown>
}

const STOP_DEADLINE_MS = 10_000

/** The exit code of a configuration that cannot be used (`EX_CONFIG` of sysexits.h): starting again will not help. */
const EXIT_CONFIG = 78

/** A service's `main`: reads its configuration from the environment, then runs it until it is told to stop. */
export async function runMain<Config extends Pick<ServerConfig, 'logLevel' | 'shutdownDelayMs' | 'tracing'>>(
  name: string,
  read: (env: EnvReader) => Config,
  start: (config: Readonly<Config>, log: Log) => Promise<readonly Stoppable[]>,
): Promise<void> {
  await withConfig(name, read, async (config, log) => {
    const tracing = await startTracing(name, config.tracing, log)
    await runService(log, async () => [...(await start(config, log)), ...tracing], config)
  })
}

/** Reads the configuration from the environment and works with it. One that cannot be used ends the process, which says why. */
export async function withConfig<Config extends { readonly logLevel: string }>(
  name: string,
  read: (env: EnvReader) => Config,
  work: (config: Readonly<Config>, log: Log) => Promise<void>,
): Promise<void> {
  try {
    const warnings: string[] = []
    const config = readConfig(process.env, read, (warning) => warnings.push(warning))
    const log = createLog(name, config.logLevel)
    for (const warning of warnings) log.warn(warning)
    await work(config, log)
  } catch (error) {
    if (!(error instanceof ConfigInvalid)) throw error
    process.stderr.write(`${name}: ${error.message}\n`)
    process.exit(EXIT_CONFIG)
  }
}

/**
 * Runs a service until SIGTERM or SIGINT. Then it is no longer ready, but serves for as long as load balancers need to see
 * that, and stops its parts in the given order: intake off, drain, channels, HTTP, database. An error that nobody caught ends the process: its state is unknown.
 */
export async function runService(
  log: Log,
  start: () => Promise<readonly Stoppable[]>,
  { shutdownDelayMs }: Pick<ServerConfig, 'shutdownDelayMs'>,
): Promise<void> {
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      log.error('unexpected error, the process ends', { event, error })
      process.exit(1)
    })
  }
  const signal = new Promise<string>((resolve) => {
    process.once('SIGTERM', resolve)
    process.once('SIGINT', resolve)
  })
  // Who waits for its database or its indexes can be told to stop, too; nothing has come in yet.
  const parts = await Promise.race([start(), signal.then(() => undefined)])
  if (!parts) {
    log.info('stopped before it had started', { signal: await signal })
    process.exit(0)
  }
  log.info('started')
  log.info('stopping', { signal: await signal })
  for (const part of parts) part.retire?.()
  await new Promise((resolve) => setTimeout(resolve, shutdownDelayMs))
  const clean = await stopAll(log, parts, STOP_DEADLINE_MS)
  log.info('stopped', { clean })
  process.exit(clean ? 0 : 1)
}

/** Stops the parts one after the other within one deadline; a part that fails does not keep the next from stopping. */
export async function stopAll(log: Log, parts: readonly Stoppable[], deadlineMs: number): Promise<boolean> {
  const endsAt = Date.now() + deadlineMs
  let clean = true
  for (const part of parts) {
    const remainingMs = Math.max(endsAt - Date.now(), 100)
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`${part.name} did not stop in time`)), remainingMs)
    })
    try {
      await Promise.race([part.stop(remainingMs), timeout])
    } catch (error) {
      clean = false
      log.error('a part did not stop cleanly', { part: part.name, error })
    } finally {
      clearTimeout(timer)
    }
  }
  return clean
}
