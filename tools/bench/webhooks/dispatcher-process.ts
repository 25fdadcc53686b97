import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { eventually } from '@gateway/testkit'
import { NODE_ARGS, NODE_ENVIRONMENT } from '@gateway-infra/local/service-process'
import { endWithUs } from './end-with-us.ts'

export interface DispatcherProcess {
  readonly url: string
  readonly pid: number
  /** The value of a metric, over all its labels when it has several series; 0 when it has none yet. */
  metric(name: string): Promise<number>
  kill(signal: NodeJS.Signals): void
  /** Settles with the signal or code that ended it. */
  readonly ended: Promise<string>
  /** SIGTERM, and waits for its end. */
  stop(): Promise<void>
}

export interface DispatcherOptions {
  readonly env: Readonly<Record<string, string>>
  readonly port: number
  /** Its output is appended to this file, as `npm start` does it. */
  readonly logFile: string
  /** For Node itself, such as `--cpu-prof`. */
  readonly nodeArgs: readonly string[]
}

const SERVICE = new URL('../../../services/webhook-dispatcher/', import.meta.url)
const READY_WITHIN_MS = 120_000
const STOP_WITHIN_MS = 20_000

/** One replica as `npm start` runs it: `src/main.ts` in a process of its own, told everything by its environment. */
export async function startDispatcher({ env, port, logFile, nodeArgs }: DispatcherOptions): Promise<DispatcherProcess> {
  const output = openSync(logFile, 'a')
  const child = spawn(process.execPath, [...NODE_ARGS, ...nodeArgs, fileURLToPath(new URL('src/main.ts', SERVICE))], {
    cwd: fileURLToPath(SERVICE),
    env: { PATH: process.env['PATH'], ...NODE_ENVIRONMENT, ...env, PORT: String(port) },
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  endWithUs(child)
  const ended = once(child, 'exit').then(([code, signal]) => String(signal ?? code))
  const url = `http://127.0.0.1:${port}`
  const failed = ended.then((how) => Promise.reject(new Error(`the dispatcher ended at its start (${how}): see ${logFile}`)))
  failed.catch(() => undefined)
  await Promise.race([untilReady(url), failed])
  return {
    url,
    pid: child.pid ?? -1,
    metric: async (name) => readMetric(await (await fetch(`${url}/metrics`)).text(), name),
    kill: (signal) => child.kill(signal),
    ended,
    async stop() {
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS)
      await ended
      clearTimeout(timer)
    },
  }
}

async function untilReady(url: string): Promise<void> {
  await eventually(
    async () => {
      const answer = await (await fetch(`${url}/readyz`)).text()
      if (!answer.includes('"status":"ok"')) throw new Error(`${url} answers ${answer}`)
    },
    { deadlineMs: READY_WITHIN_MS },
  )
}

/** Prometheus' text: `name{labels} value`. */
export function readMetric(text: string, name: string): number {
  const series = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
  return series.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
}
