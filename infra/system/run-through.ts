import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { exitCodeOf } from './stopping.ts'

export interface ForegroundOptions {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** The signal it resolves to is forwarded to the program. */
  readonly stopRequested: Promise<NodeJS.Signals>
}

/** Runs a program on this terminal; resolves to its exit code, or 128 plus the signal's number, as shells do. */
export async function runThrough(command: string, args: readonly string[], options: ForegroundOptions): Promise<number> {
  const child = spawn(command, args, { cwd: options.cwd, env: options.env, stdio: 'inherit' })
  void options.stopRequested.then((signal) => child.kill(signal))
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  return code ?? (signal === null ? 1 : exitCodeOf(signal))
}
