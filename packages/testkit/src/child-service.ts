/** Scripts of services in processes of their own, and free ports for them. */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { eventually } from './eventually.ts'
import { listen } from './json-server.ts'

export type ChildService = Awaited<ReturnType<typeof startChildService>>

/** Runs a service's script in its own process, so that a test can kill it. Waits until it is ready. */
export async function startChildService(options: {
  script: URL
  env: Readonly<Record<string, string | undefined>>
  /** Polled until its status is `ok`. Without it, the start is not waited for. */
  readyUrl?: string
}) {
  const child = spawn(process.execPath, [fileURLToPath(options.script)], {
    env: { ...nodeEnvironment(), ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // A failing test must not leave the process running.
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-4000)))
  const ended = once(child, 'exit').then(([code, signal]) => {
    process.off('exit', kill)
    return String(signal ?? code)
  })
  if (options.readyUrl !== undefined) await untilReady(child, options.readyUrl, () => output)
  /** `ended` resolves to the signal or code that ended the process; `output` is the end of what it has printed. */
  return { pid: child.pid ?? -1, ended, output: () => output, kill: (signal: NodeJS.Signals) => void child.kill(signal) }
}

async function untilReady(child: ChildProcess, url: string, output: () => string): Promise<void> {
  await eventually(
    async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const answer = await (await fetch(url)).text()
      // `ok` includes the broker, which the tests need.
      if (!answer.includes('"status":"ok"')) throw new Error(`${url} answers ${answer}`)
    },
    { deadlineMs: 120_000 },
  ).catch((error: unknown) => {
    child.kill('SIGKILL')
    throw new Error(`the service did not become ready; its output: ${output()}`, { cause: error })
  })
}

export interface EndedScript {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const SCRIPT_WITHIN_MS = 180_000

/** Runs a script to its end in its own process, with only this environment, as an operator's job does. */
export function runScript(options: {
  script: URL
  args: readonly string[]
  env: Readonly<Record<string, string | undefined>>
}): Promise<EndedScript> {
  const { script, args, env } = options
  const settings = { env: { ...nodeEnvironment(), ...env }, timeout: SCRIPT_WITHIN_MS }
  return new Promise((resolve) => {
    execFile(process.execPath, [fileURLToPath(script), ...args], settings, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr })
    })
  })
}

/**
 * Variables of this process that a child needs besides its own settings: the search path, Node's compile cache if one is set, and
 * whatever makes it record its queries when this process does.
 */
function nodeEnvironment(): NodeJS.ProcessEnv {
  const { PATH, NODE_COMPILE_CACHE, QUERY_RECORDS } = process.env
  const recording = { QUERY_RECORDS, NODE_OPTIONS: `--import ${import.meta.resolve('./queries/start.ts')}` }
  return {
    PATH,
    ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }),
    ...(QUERY_RECORDS !== undefined && recording),
  }
}

/** Below what the kernel gives to outgoing connections, so that none of these takes a port between its choice and its use. */
const FREE_PORTS = [10_000, 32_768] as const

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer()
  try {
    return await listen(server, randomInt(...FREE_PORTS))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
    return await freePort()
  } finally {
    server.close()
  }
}
