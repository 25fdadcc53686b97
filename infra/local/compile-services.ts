import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from '@gateway-infra/system/paths'
import type { Progress } from '@gateway-infra/system/progress'
import { NODE_ARGS, NODE_ENVIRONMENT } from './service-process.ts'
import { SERVICES } from './services.ts'
import { CommandFailed, run } from '@gateway-infra/system/run'

/** Which Node, with which options, made what is in the cache. */
const STAMP = [process.version, ...NODE_ARGS].join(' ')

/**
 * Fills the cache of what is compiled, once for a machine and a version of Node: else the first processes would load the compiler, and
 * keep it. What changed since then is compiled by the first process that needs it.
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

/** With a setting that cannot be a service ends as soon as its modules are loaded, whatever else the environment says. */
async function loadModules(cwd: string, logFile: string): Promise<void> {
  try {
    // Not by its whole path: the checkout's looks like a shopper's secret link, which logs are searched for.
    await run(process.execPath, [...NODE_ARGS, 'src/main.ts'], {
      cwd,
      env: { ...NODE_ENVIRONMENT, PORT: 'none' },
      logFile,
      timeoutMs: 60_000,
    })
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error
  }
}
