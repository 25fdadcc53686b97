import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { exitCodeOf } from './stopping.ts'

export interface ForegroundOptions {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** Passed on to the program when it settles. */
  readonly stopRequested: Promise<NodeJS.Signals>
}

/** Runs a program on this terminal; resolves to its exit code, 128 + number for a signal as shells have it. */
export async function runThrough(command: string, args: readonly string[], options: ForegroundOptions): Promise<number> {
  const child = spawn(command, args, { cwd: options.cwd, env: options.env, stdio: 'inherit' })
  void options.stopRequested.then((signal) => child.kill(signal))
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  return code ?? (signal === null ? 1 : exitCodeOf(signal))
}
