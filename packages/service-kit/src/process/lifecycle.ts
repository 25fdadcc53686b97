import { setFlagsFromString } from 'node:v8'
import { Fault } from '@gateway/contracts'
import type { ServerConfig, TracingConfig } from '../config/common.ts'
import type { EnvReader } from '../config/reader.ts'
import { ConfigInvalid, readConfig } from '../config/read-config.ts'
import { createLog, type Log } from '../logging/logger.ts'
import { setTracer } from '../tracing/tracing.ts'
import type { Stoppable } from './parts.ts'

const STOP_DEADLINE_MS = 10_000

/** Exit code for an invalid configuration (`EX_CONFIG` of sysexits.h): a restart does not help. */
const EXIT_CONFIG = 78

/** A service's `main`: reads the configuration from the environment, then runs until the stop signal. */
export async function runMain<Config extends Pick<ServerConfig, 'logLevel' | 'shutdownDelayMs' | 'tracing'>>(
  name: string,
  read: (env: EnvReader) => Config,
  start: (config: Readonly<Config>, log: Log) => Promise<readonly Stoppable[]>,
): Promise<void> {
  keepWasmUnoptimized()
  await withConfig(name, read, async (config, log) => {
    const tracing = await startTracing(name, config.tracing, log)
    await runService(log, async () => [...(await start(config, log)), ...tracing], config)
  })
}

/** Runs `work` with the configuration from the environment. Prints the problems of an invalid one and exits; logs an error of `work` and exits. */
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
    if (error instanceof ConfigInvalid) {
      process.stderr.write(`${name}: ${error.message}\n`)
      process.exit(EXIT_CONFIG)
    }
    // Node itself would print the error with its message and all its fields.
    createLog(name).error('uncaught error, exiting', { error })
    process.exit(1)
  }
}

/**
 * Runs a service until SIGTERM or SIGINT. It is then not ready but keeps serving for `shutdownDelayMs`, until load balancers
 * have noticed, and stops its parts in order: intake off, drain, channels, HTTP, database. An uncaught error ends the
 * process, whose state is unknown then.
 */
async function runService(
  log: Log,
  start: () => Promise<readonly Stoppable[]>,
  { shutdownDelayMs }: Pick<ServerConfig, 'shutdownDelayMs'>,
): Promise<void> {
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      log.error('uncaught error, exiting', { event, error })
      process.exit(1)
    })
  }
  const signal = new Promise<string>((resolve) => {
    process.once('SIGTERM', resolve)
    process.once('SIGINT', resolve)
  })
  // A service that still waits for its database or indexes can be stopped too: it has accepted no work yet.
  const parts = await Promise.race([start(), signal.then(() => undefined)])
  if (!parts) {
    log.info('stopped before start', { signal: await signal })
    process.exit(0)
  }
  releaseStartMemory()
  log.info('started')
  log.info('stopping', { signal: await signal })
  for (const part of parts) part.retire?.()
  await new Promise((resolve) => setTimeout(resolve, shutdownDelayMs))
  const clean = await stopAll(log, parts, STOP_DEADLINE_MS)
  log.info('stopped', { clean })
  process.exit(clean ? 0 : 1)
}

/** Stops the parts one by one within one deadline. A part that fails does not block the next. Returns whether all succeeded. */
export async function stopAll(log: Log, parts: readonly Stoppable[], deadlineMs: number): Promise<boolean> {
  const endsAt = Date.now() + deadlineMs
  let clean = true
  for (const part of parts) {
    const remainingMs = Math.max(endsAt - Date.now(), 100)
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise((_resolve, reject) => {
      timer = setTimeout(() => reject(new Fault(`${part.name} did not stop in time`)), remainingMs)
    })
    try {
      await Promise.race([part.stop(remainingMs), timeout])
    } catch (error) {
      clean = false
      log.error('part failed to stop', { part: part.name, error })
    } finally {
      clearTimeout(timer)
    }
  }
  return clean
}

/** Turns tracing on if it is configured, and only then loads the SDK. The returned part must stop last: it exports the rest. */
async function startTracing(service: string, config: TracingConfig | undefined, log: Log): Promise<Stoppable[]> {
  if (!config) return []
  const { createTracing } = await import('../tracing/tracing-sdk.ts')
  const tracing = createTracing(service, config, log)
  setTracer(tracing.tracer)
  return [{ name: 'tracing', stop: () => tracing.stop() }]
}

/** What a service does for its memory, besides the limits that Node is started with. */

/** V8's largest tiering budget: roughly the bytes of WebAssembly that run before V8 optimizes a function. */
const NEVER = 2 ** 31 - 1

/**
 * Keeps V8 from optimizing WebAssembly. A running service uses it only in undici's HTTP parser, which is no faster when optimized,
 * and the optimizing compiler keeps 10 MiB.
 */
function keepWasmUnoptimized(): void {
  setFlagsFromString(`--wasm-tiering-budget=${NEVER}`)
}

/**
 * Releases the memory that only the start needed (sources, code that ran once), which V8 would keep until memory is scarce.
 * Blocks the process once, for about 50 ms, when it already listens. Does nothing without `--expose-gc`.
 */
export function releaseStartMemory(): void {
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
