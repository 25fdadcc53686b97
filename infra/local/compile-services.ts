import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './paths.ts'
import type { Progress } from './progress.ts'
import { NODE_ARGS, NODE_ENVIRONMENT } from './service-process.ts'
import { SERVICES } from './services.ts'
import { CommandFailed, run } from './system/run.ts'

/** Fills the cache of what is compiled, once for a machine: else the first processes would load the compiler, and keep it. */
export async function compileServices(progress: Progress, logFile: string): Promise<void> {
  if (existsSync(NODE_ENVIRONMENT.NODE_COMPILE_CACHE)) return
  await progress.during('compiling the services (once)', async () => {
    await Promise.all(SERVICES.map(async ({ name }) => loadModules(join(ROOT, 'services', name, 'src/main.ts'), logFile)))
  })
}

/** Without its settings a service ends as soon as its modules are loaded, and says which it misses. */
async function loadModules(script: string, logFile: string): Promise<void> {
  try {
    await run(process.execPath, [...NODE_ARGS, script], { env: NODE_ENVIRONMENT, logFile, timeoutMs: 60_000 })
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error
  }
}
