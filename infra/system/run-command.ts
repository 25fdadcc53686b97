import type { Command } from './context.ts'
import { exitNow } from './exit-now.ts'
import { readPaths } from './paths.ts'
import { createProgress } from './progress.ts'
import { exitCodeOf, Stopped, untilAskedToStop } from './stopping.ts'
import { UserError } from './user-error.ts'

/**
 * Runs a command with the arguments of this process, then ends the process with the command's exit code. A signal that stops the
 * command gives 128 plus its number; an error gives 1 and is printed, a `UserError` as its sentence alone.
 */
export async function runCommand(command: Command): Promise<never> {
  const { env } = process
  const context = { paths: readPaths(env), env, progress: createProgress(), stopRequested: untilAskedToStop() }
  const run = async (): Promise<number> => command(context, process.argv.slice(2))
  return exitNow(await run().catch(exitCodeFor))
}

function exitCodeFor(error: unknown): number {
  if (error instanceof Stopped) return exitCodeOf(error.signal)
  console.error(error instanceof UserError ? error.message : error)
  return 1
}
