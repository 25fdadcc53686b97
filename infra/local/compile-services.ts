import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from '@gateway-infra/system/paths'
import type { Progress } from '@gateway-infra/system/progress'
import { NODE_ARGS, NODE_ENVIRONMENT } from './service-process.ts'
import { SERVICES } from './services.ts'
import { CommandFailed, run } from '@gateway-infra/system/run'

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
  try {
    // A relative path: checkout's full path looks like a shopper's secret link, which tests search logs for.
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
