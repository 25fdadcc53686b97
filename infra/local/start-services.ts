/** Services as processes of this machine: how each runs, what is prepared once, and when one is ready. */
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readPaths, ROOT } from '@gateway-infra/system/paths'
import type { Progress } from '@gateway-infra/system/progress'
import { run, succeeds } from '@gateway-infra/system/run'
import { databaseName, SERVICES } from './services.ts'

/**
 * Node sizes its heap by the machine's memory: by default the young generation grows to 128 MiB and the old one to four times
 * the live data before a collection. The images set the same limits through NODE_OPTIONS where Node allows it.
 * `--expose-gc` lets a service release the memory that only its start needed (service-kit, process/lifecycle.ts).
 */
export const NODE_ARGS = [
  '--max-semi-space-size=16',
  '--initial-old-space-size=64',
  '--max-old-space-size=512',
  '--expose-gc',
] as const

/** Environment variables besides the service's own settings. */
export const NODE_ENVIRONMENT = {
  /** glibc gives every thread its own heap, up to eight per core; each service kept 7 to 12 MiB more without this. */
  MALLOC_ARENA_MAX: '2',
  /** The compile cache: a process that finds everything in it starts faster and never loads Node's TypeScript compiler (over 17 MiB). */
  NODE_COMPILE_CACHE: join(readPaths(process.env).cacheDir, 'compiled'),
} as const

/** Runs the index step of every service in parallel; existing indexes are kept. Throws when one fails. */
export async function buildAllIndexes(options: {
  readonly mongoUrl: string
  readonly databasePrefix: string
  readonly logFile: string
  /** The checkout whose services build their indexes; this one by default. */
  readonly root?: string
}): Promise<void> {
  const { mongoUrl, databasePrefix, logFile, root = ROOT } = options
  // With given engines, the log directory may not exist yet.
  await mkdir(dirname(logFile), { recursive: true })
  const steps = SERVICES.map(async ({ name }) => {
    const script = join(root, 'services', name, 'src/build-indexes.ts')
    const own = { ENVIRONMENT: 'sandbox', MONGO_URL: mongoUrl, DATABASE: databaseName(databasePrefix, name) }
    if (existsSync(script)) await run(process.execPath, [script], { env: { ...NODE_ENVIRONMENT, ...own }, logFile })
  })
  await Promise.all(steps)
}

/** The Node version and options that the cached code was compiled with. */
const STAMP = [process.version, ...NODE_ARGS].join(' ')

/**
 * Fills Node's compile cache once per machine and Node version. Without it, the first processes would load the TypeScript
 * compiler and keep it in memory. Code that changes later is compiled by the first process that needs it.
 */
export async function compileServices(progress: Progress, logFile: string): Promise<void> {
  const folder = NODE_ENVIRONMENT.NODE_COMPILE_CACHE
  const stampFile = join(folder, 'made-by')
  if ((await readFile(stampFile, 'utf8').catch(() => undefined)) === STAMP) return
  await progress.during('compiling the services (once)', async () => {
    await Promise.all(SERVICES.map(async ({ name }) => loadModules(join(ROOT, 'services', name), logFile)))
    await mkdir(folder, { recursive: true })
    await writeFile(stampFile, STAMP)
  })
}

/** An invalid setting makes a service exit as soon as its modules are loaded. */
async function loadModules(cwd: string, logFile: string): Promise<void> {
  const env = { ...NODE_ENVIRONMENT, PORT: 'none' }
  // A relative path: checkout's full path looks like a shopper's secret link, which tests search logs for.
  await succeeds(process.execPath, [...NODE_ARGS, 'src/main.ts'], { cwd, env, logFile, timeoutMs: 60_000 })
}

const HEALTH_TIMEOUT_MS = 3_000

/** Requests a readiness endpoint; true for status 200. */
export async function isReady(healthUrl: string): Promise<boolean> {
  const response = await fetch(healthUrl, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) })
  await response.body?.cancel()
  return response.status === 200
}
