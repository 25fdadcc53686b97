import { dirname, join } from 'node:path'
import { NODE_ARGS, NODE_ENVIRONMENT } from '@gateway-infra/local/start-services'
import { openProcessBook, type ProcessBook } from '@gateway-infra/system/process-book'
import { sendSignal } from '@gateway-infra/system/processes'
import { until } from '@gateway-infra/system/stopping'

export interface ServiceProcessOptions {
  /** The checkout whose code it runs. */
  readonly root: string
  readonly service: string
  readonly port: number
  /** Its settings, except for its port. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Its output is appended here. */
  readonly logFile: string
  /** For Node itself, such as `--cpu-prof`. */
  readonly nodeArgs?: readonly string[]
  /** States of `/readyz` in which it is ready. */
  readonly readyStates: readonly ('ok' | 'degraded')[]
}

/** One replica of a service, run as `npm start` runs it. It ends with this process. */
export type ServiceProcess = Awaited<ReturnType<typeof startService>>

const READY_WITHIN_MS = 240_000
const KILLED_AFTER_MS = 30_000
type Child = Awaited<ReturnType<ProcessBook['start']>>
const children = new Set<Child>()
process.once('exit', () => children.forEach(kill))

/** Kills every service that was started here and still runs. */
export async function killServices(): Promise<void> {
  await Promise.all([...children].map(kill))
}

function kill({ pid, exited }: Child): Promise<string> {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Already gone.
  }
  return exited
}

/** Resolves when it is ready; rejects when it ends before, and when this process is asked to stop. */
export async function startService(options: ServiceProcessOptions) {
  const { root, service, port, env, logFile, nodeArgs = [], readyStates } = options
  const cwd = join(root, 'services', service)
  const args = [...NODE_ARGS, ...nodeArgs, join(cwd, 'src/main.ts')]
  const told = { PATH: process.env['PATH'], ...NODE_ENVIRONMENT, ...env, PORT: String(port) }
  const book = openProcessBook(dirname(logFile), 'services')
  const child = await book.start({ name: service, command: process.execPath, args, cwd, env: told, logFile })
  children.add(child)
  void child.exited.then(() => children.delete(child))
  const url = `http://127.0.0.1:${port}`
  const isReady = async (): Promise<boolean> => {
    const answer = await (await fetch(`${url}/readyz`)).text()
    return readyStates.some((state) => answer.includes(`"status":"${state}"`))
  }
  await until(`${service} (${logFile})`, isReady, READY_WITHIN_MS, child.exited)
  return {
    url,
    metric: (name: string) => metricOf(url, name),
    /** SIGKILL. */
    kill: () => kill(child),
    pause: () => sendSignal(child.pid, 'SIGSTOP'),
    resume: () => sendSignal(child.pid, 'SIGCONT'),
    /** SIGTERM, later SIGKILL; resolves with how it ended, such as `exit code 0`. */
    stop: () => child.stop(KILLED_AFTER_MS).then(() => child.exited),
  }
}

/** A metric of the service at `url`, summed over the series whose labels contain `label`; 0 when it has no value yet. */
export async function metricOf(url: string, name: string, label = ''): Promise<number> {
  const lines = (await (await fetch(`${url}/metrics`)).text()).split('\n')
  const series = lines.filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
  const values = series.filter((line) => line.includes(label)).map((line) => Number(line.slice(line.lastIndexOf(' ') + 1)))
  return values.reduce((total, value) => total + value, 0)
}
