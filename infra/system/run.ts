/** Runs a program and collects its output. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { sendSignal } from './processes.ts'
import type { Progress } from './progress.ts'
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
const PULL_WITHIN_MS = 600_000

export class CommandFailed extends Error {
  override readonly name = 'CommandFailed'

  constructor(command: string, reason: string, output: string) {
    super(`${command} ${reason}\n${output}`.trimEnd())
  }
}

/**
 * Resolves to the last 2,000 characters of the program's output (both streams). Rejects with `CommandFailed` unless it exits
 * with 0 in time, and with `Stopped` when this process is asked to stop meanwhile.
 */
export async function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { cwd, env, logFile, timeoutMs, evenWhenStopping = false } = options
  const never = new AbortController().signal
  const stop = evenWhenStopping ? never : stopping
  stop.throwIfAborted()
  const shown = [command, ...args].join(' ')
  // In its own process group, so that processes it starts can be ended with it.
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const log = logFile === undefined ? undefined : createWriteStream(logFile, { flags: 'a' })
  log?.write(`$ ${shown}\n`)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-LAST_CHARACTERS)
      log?.write(chunk)
    })

  let killing: NodeJS.Timeout | undefined
  const end = (): void => {
    if (child.pid === undefined) return
    const group = -child.pid
    sendSignal(group, 'SIGTERM')
    killing = setTimeout(() => sendSignal(group, 'SIGKILL'), KILL_AFTER_MS)
  }
  const ending = AbortSignal.any([stop, timeoutMs === undefined ? never : AbortSignal.timeout(timeoutMs)])
  ending.addEventListener('abort', end, { once: true })
  const failure = await once(child, 'close').then(
    ([code, signal]) => (code === 0 ? undefined : signal === null ? `exited with ${code}` : `was ended by ${signal}`),
    (error: unknown) => `could not be started: ${String(error)}`,
  )
  ending.removeEventListener('abort', end)
  clearTimeout(killing)
  log?.end()
  if (failure === undefined) return output
  stop.throwIfAborted()
  throw new CommandFailed(shown, failure, output)
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

/** The reason why containers cannot be used; `undefined` when a Docker engine answers. */
export async function dockerIsImpossible(): Promise<string | undefined> {
  return (await succeeds('docker', ['info'], { timeoutMs: 5_000 })) ? undefined : 'no Docker engine answers'
}

export async function hasImage(name: string): Promise<boolean> {
  return succeeds('docker', ['image', 'inspect', name])
}

/** Resolves to false when the image cannot be pulled. Tries twice by default: downloads fail now and then. */
export async function pullImage(name: string, progress: Progress, tries = 2): Promise<boolean> {
  const pull = (): Promise<boolean> => succeeds('docker', ['pull', name], { timeoutMs: PULL_WITHIN_MS })
  return progress.during(`pulling ${name}`, async () => (await pull()) || (tries > 1 && (await pull())))
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
