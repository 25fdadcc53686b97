/** A command of this repository: what it receives, and how it and the programs that it starts end. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { readPaths, ROOT, type Paths } from './paths.ts'
import { createProgress, type Progress } from './progress.ts'
import { exitCodeOf, Stopped, untilAskedToStop } from './stopping.ts'
import { UserError } from './user-error.ts'

/** What every command receives. */
export interface Context {
  readonly paths: Paths
  readonly env: NodeJS.ProcessEnv
  readonly progress: Progress
  /** Resolves to the signal when this process is asked to stop. */
  readonly stopRequested: Promise<NodeJS.Signals>
}

/** A command's work; resolves to the exit code. */
export type Command = (context: Context, args: readonly string[]) => Promise<number>

/**
 * Runs a command with the arguments of this process, then ends the process with the command's exit code. A signal that stops the
 * command gives 128 plus its number; an error gives 1 and is printed, a `UserError` as its sentence alone.
 */
export async function runCommand(command: Command): Promise<never> {
  const { env } = process
  const context = { paths: readPaths(env), env, progress: createProgress(), stopRequested: untilAskedToStop() }
  const run = async (): Promise<number> => command(context, process.argv.slice(2))
  const code = await run().catch(exitCodeFor)
  // Output to a pipe is asynchronous; without this wait the end of it would be lost.
  for (const stream of [process.stdout, process.stderr]) await new Promise((resolve) => stream.write('', resolve))
  // A normal exit first closes all handles, and a program that had closed hundreds of sockets sometimes hung there.
  process.exit(code)
}

function exitCodeFor(error: unknown): number {
  // What failed first counts, not what failed while it was cleaned up.
  const first: unknown = error instanceof SuppressedError ? error.suppressed : error
  if (first instanceof Stopped) return exitCodeOf(first.signal)
  console.error(first instanceof UserError ? first.message : error)
  return 1
}

/** The program's environment, the signal to forward to it, and its directory (default: the root of this checkout). */
type Foreground = Pick<Context, 'env' | 'stopRequested'> & { readonly cwd?: string }

/** Runs a program on this terminal; resolves to its exit code, or 128 plus the signal's number, as shells do. */
export async function runThrough(command: string, args: readonly string[], options: Foreground): Promise<number> {
  const { cwd = ROOT, env, stopRequested } = options
  const child = spawn(command, args, { cwd, env, stdio: 'inherit' })
  void stopRequested.then((signal) => child.kill(signal))
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  return code ?? (signal === null ? 1 : exitCodeOf(signal))
}

/** Runs a TypeScript file of this checkout, as `runThrough` does. */
export async function runScript(script: string, args: readonly string[], options: Foreground): Promise<number> {
  return runThrough(process.execPath, [join(ROOT, script), ...args], options)
}
