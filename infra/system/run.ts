/** Runs a program and collects its output. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { sendSignal } from './end-process.ts'
import { stopping } from './stopping.ts'

export interface RunOptions {
  readonly cwd?: string
  /** Added to this process's environment. */
  readonly env?: Readonly<Record<string, string>>
  /** The program's output is also appended to this file. */
  readonly logFile?: string
  readonly timeoutMs?: number
  /** True for programs that are part of stopping; all others are ended when this process is asked to stop. */
  readonly evenWhenStopping?: boolean
}

const LAST_CHARACTERS = 2_000
const KILL_AFTER_MS = 5_000

export class CommandFailed extends Error {
  override readonly name = 'CommandFailed'

  constructor(command: string, reason: string, output: string) {
    super(`${command} ${reason}\n${output.slice(-LAST_CHARACTERS)}`.trimEnd())
  }
}

/**
 * Resolves to the last 2,000 characters of the program's output (both streams). Rejects with `CommandFailed` unless it exits
 * with 0 in time, and with `Stopped` when this process is asked to stop meanwhile.
 */
export async function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const stop = options.evenWhenStopping === true ? undefined : stopping
  stop?.throwIfAborted()
  const shown = [command, ...args].join(' ')
  // In its own process group, so that processes it starts can be ended with it.
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const disarm = endGroupOn(child.pid, stop, options.timeoutMs)
  const logFile = options.logFile === undefined ? undefined : createWriteStream(options.logFile, { flags: 'a' })
  logFile?.write(`$ ${shown}\n`)
  let output = ''
  const collect = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-LAST_CHARACTERS)
    logFile?.write(chunk)
  }
  child.stdout.on('data', collect)
  child.stderr.on('data', collect)

  try {
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
    if (code === 0) return output
    stop?.throwIfAborted()
    throw new CommandFailed(shown, signal === null ? `exited with ${code ?? 'no code'}` : `was ended by ${signal}`, output)
  } catch (error) {
    if (!isSpawnError(error)) throw error
    throw new CommandFailed(shown, `could not be started: ${error.message}`, output)
  } finally {
    disarm()
    logFile?.end()
  }
}

/** True when the program exists and exits with 0, by default within 10 s. */
export async function succeeds(command: string, args: readonly string[], options: RunOptions = {}): Promise<boolean> {
  try {
    await run(command, args, { timeoutMs: 10_000, ...options })
    return true
  } catch (error) {
    if (error instanceof CommandFailed) return false
    throw error
  }
}

/** Retries once: downloads fail now and then, and more retries would only hide a real fault. */
export async function withOneRetry<T>(work: () => Promise<T>, onRetry: (error: unknown) => void): Promise<T> {
  try {
    return await work()
  } catch (error) {
    stopping.throwIfAborted()
    onRetry(error)
    return work()
  }
}

/** Ends a process group: with SIGTERM when asked to stop, with SIGKILL after its timeout. */
function endGroupOn(pid: number | undefined, stop: AbortSignal | undefined, timeoutMs: number | undefined): () => void {
  if (pid === undefined) return () => undefined
  const timers: NodeJS.Timeout[] = []
  const killAfter = (afterMs: number): void => void timers.push(setTimeout(() => sendSignal(-pid, 'SIGKILL'), afterMs))
  const onStop = (): void => {
    sendSignal(-pid, 'SIGTERM')
    killAfter(KILL_AFTER_MS)
  }
  if (timeoutMs !== undefined) killAfter(timeoutMs)
  stop?.addEventListener('abort', onStop, { once: true })
  return () => {
    stop?.removeEventListener('abort', onStop)
    timers.forEach(clearTimeout)
  }
}

function isSpawnError(error: unknown): error is Error {
  // Not by `instanceof`: Jest's realm has another `Error` class.
  return typeof error === 'object' && error !== null && 'syscall' in error && 'message' in error
}
