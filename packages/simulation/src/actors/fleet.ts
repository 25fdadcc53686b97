import { stopAll, type Log, type Stoppable } from '@gateway/service-kit'
import type { Kernel } from '../kernel/kernel.ts'
import type { Mark } from '../check/marks.ts'
import { SimulatedProcess } from '../kernel/process.ts'
import { REPLICAS, SERVICES, type EngineUrls, type ServiceName } from './configs.ts'
import { loadServices } from './services.ts'

const STOP_WITHIN_MS = 10_000
const RESTART_MS = 1000

interface Running {
  readonly process: SimulatedProcess
  parts?: readonly Stoppable[]
}

export type Fleet = ReturnType<typeof createFleet>

interface FleetOptions {
  readonly kernel: Kernel
  readonly urls: EngineUrls
  /** To how many partitions publishers send at first. */
  readonly partitions: number
  readonly skewOf: () => number
  readonly mark: (what: Mark) => void
}

/** Two replicas of each service. A replica that ends is started again after some time. */
export function createFleet({ kernel, urls, partitions: first, skewOf, mark }: FleetOptions) {
  const services = loadServices(urls)
  const partitions = new Map<string, number>()
  const running = new Map<string, Running>()
  const lives = new Map<string, number>()
  const restartMs = new Map<string, number>()
  const keptDown = new Set<string>()

  async function restart(service: ServiceName, replica: number): Promise<void> {
    const name = `${service} ${replica}`
    if (running.get(name)?.process.isAlive || keptDown.has(name)) return
    const life = (lives.get(name) ?? 0) + 1
    lives.set(name, life)
    const process = new SimulatedProcess(kernel, name, { life, skewMs: skewOf() })
    const one: Running = { process }
    running.set(name, one)
    process.onEnd((why) => {
      if (why.startsWith('dies')) mark(`a replica died ${why.startsWith('dies before') ? 'before' : 'after'} a call`)
      kernel.after(restartMs.get(name) ?? RESTART_MS, name, () => void restart(service, replica))
    })
    kernel.trace(name, `starts, life ${life}`)
    await process.run(async () => {
      one.parts = (await services.start(service, logOf(process), partitions.get(name) ?? first)).parts
      kernel.trace(name, 'serves')
    })
  }

  async function end({ process, parts }: Running): Promise<void> {
    const log = logOf(process)
    for (const part of parts ?? []) part.retire?.()
    await stopAll(log, parts ?? [], STOP_WITHIN_MS)
    process.end('exits')
  }

  const stop = (service: ServiceName, replica: number): void => {
    const one = running.get(`${service} ${replica}`)
    if (one?.process.isAlive) one.process.run(() => void end(one))
  }

  return {
    partitions: first,
    /** Replaces a replica by one with this `QUEUE_PARTITIONS`. */
    publishTo(service: ServiceName, replica: number, count: number): void {
      partitions.set(`${service} ${replica}`, count)
      stop(service, replica)
    },
    /** Builds the indexes, then starts everything; resolves when every replica serves. */
    async start(): Promise<void> {
      const setup = new SimulatedProcess(kernel, 'setup')
      await setup.run(() => services.buildIndexes(logOf(setup), first))
      setup.end('is done')
      await Promise.all(SERVICES.flatMap((service) => REPLICAS.map((replica) => restart(service, replica))))
    },
    /** The running process of a replica; `undefined` while it is down. */
    processOf(service: ServiceName, replica: number): SimulatedProcess | undefined {
      const process = running.get(`${service} ${replica}`)?.process
      return process?.isAlive ? process : undefined
    },
    /** Starts a replica that is down. */
    restart: (service: ServiceName, replica: number) => void restart(service, replica),
    /** How long this replica is away after its next end. */
    setRestartMs: (service: ServiceName, replica: number, ms: number) => void restartMs.set(`${service} ${replica}`, ms),
    /** Kills a replica for good. */
    keepDown(service: ServiceName, replica: number): void {
      keptDown.add(`${service} ${replica}`)
      running.get(`${service} ${replica}`)?.process.end('is killed for good')
    },
    /** SIGTERM. */
    stop,
  }
}

/** Logs into the trace. */
export function logOf({ kernel, name }: SimulatedProcess): Log {
  const line = (level: string) => (message: string, fields?: object) =>
    kernel.trace(name, `${level}: ${message} ${textOf(fields)}`)
  return { debug: () => undefined, info: line('info'), warn: line('warn'), error: line('error') }
}

/** Stack traces differ with the place of the checkout, and durations are no part of the digest. */
function textOf(fields: object | undefined): string {
  return JSON.stringify(fields ?? {}, (key, value: unknown) => {
    if (key === 'stack') return undefined
    return value instanceof Error ? { name: value.name, message: value.message, cause: value.cause } : value
  })
}
