import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { eventually } from '@gateway/testkit'
import { NODE_ARGS, NODE_ENVIRONMENT } from '@gateway-infra/local/service-process'

export interface ServiceProcessOptions {
  /** The checkout whose code it runs. */
  readonly root: string
  readonly service: string
  readonly port: number
  /** All that it is told, beside its port. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Its output is appended here, as `npm start` does it. */
  readonly logFile: string
  /** For Node itself, such as `--cpu-prof`. */
  readonly nodeArgs?: readonly string[]
  /** Words of `/readyz` that say it is ready. */
  readonly readyStates: readonly ('ok' | 'degraded')[]
}

/** One replica of a service, run as `npm start` runs it. It ends with this process. */
export interface ServiceProcess {
  readonly url: string
  /** A metric, summed over its labels; 0 when it has no value yet. */
  metric(name: string): Promise<number>
  kill(signal: NodeJS.Signals): void
  /** Resolves with the signal or the exit code that ended it. */
  readonly ended: Promise<string>
  /** SIGTERM, later SIGKILL; resolves as `ended` does. */
  stop(): Promise<string>
}

const READY_WITHIN_MS = 240_000
const KILLED_AFTER_MS = 30_000
const children = new Set<ChildProcess>()
process.once('exit', () => children.forEach((child) => child.kill('SIGKILL')))

/** Resolves when it is ready; rejects when it ends before. */
export async function startService(options: ServiceProcessOptions): Promise<ServiceProcess> {
  const { root, service, port, env, logFile, nodeArgs = [], readyStates } = options
  mkdirSync(dirname(logFile), { recursive: true })
  const output = openSync(logFile, 'a', 0o600)
  const cwd = join(root, 'services', service)
  const child = spawn(process.execPath, [...NODE_ARGS, ...nodeArgs, join(cwd, 'src/main.ts')], {
    cwd,
    env: { PATH: process.env['PATH'], ...NODE_ENVIRONMENT, ...env, PORT: String(port) },
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  children.add(child)
  const ended = once(child, 'exit').then(([code, signal]) => {
    children.delete(child)
    return String(signal ?? code)
  })
  const url = `http://127.0.0.1:${port}`
  const endedEarly = ended.then((how) => Promise.reject(new Error(`${service} ended at its start (${how}): see ${logFile}`)))
  endedEarly.catch(() => undefined)
  await Promise.race([untilReady(url, readyStates), endedEarly])
  return {
    url,
    metric: async (name) => readMetric(await (await fetch(`${url}/metrics`)).text(), name),
    kill: (signal) => child.kill(signal),
    ended,
    async stop() {
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), KILLED_AFTER_MS)
      const how = await ended
      clearTimeout(timer)
      return how
    },
  }
}

async function untilReady(url: string, states: readonly string[]): Promise<void> {
  await eventually(
    async () => {
      const answer = await (await fetch(`${url}/readyz`)).text()
      if (!states.some((state) => answer.includes(`"status":"${state}"`))) throw new Error(`${url} answers ${answer}`)
    },
    { deadlineMs: READY_WITHIN_MS, pauseMs: 100 },
  )
}

/** Prometheus text: `name{labels} value`. */
function readMetric(text: string, name: string): number {
  const series = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
  return series.reduce((total, line) => total + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
}
