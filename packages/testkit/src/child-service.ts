import { spawn, type ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { eventually } from './eventually.ts'
import { nodeEnvironment } from './node-environment.ts'

export interface ChildService {
  readonly pid: number
  /** Resolves when the process has ended, with the signal or code that ended it. */
  readonly ended: Promise<string>
  kill(signal: NodeJS.Signals): void
}

/** Runs a service's script in its own process, so that a test can kill it. Waits until it is ready. */
export async function startChildService(options: {
  script: URL
  env: Record<string, string>
  /** Polled until its status is `ok`. Without it, the start is not waited for. */
  readyUrl?: string
}): Promise<ChildService> {
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
  return { pid: child.pid ?? -1, ended, kill: (signal) => child.kill(signal) }
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

/** Below what the kernel gives to outgoing connections, so that none of these takes a port between its choice and its use. */
const FREE_PORTS = [10_000, 32_768] as const

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer()
  try {
    server.listen(randomInt(...FREE_PORTS), '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('a listening server has an address')
    return address.port
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
    return await freePort()
  } finally {
    server.close()
  }
}
