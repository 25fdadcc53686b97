import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildAllIndexes } from '@gateway-infra/local/build-indexes'
import { ensureCa, type CaFiles } from '@gateway-infra/local/certificates'
import { ensureSecrets, type Secrets } from '@gateway-infra/local/secrets'
import {
  serviceEnvironment,
  SERVICES,
  serviceUrl,
  type ServiceDefinition,
  type ServiceName,
  type Wiring,
} from '@gateway-infra/local/services'
import { firstAmqp } from '@gateway-infra/offline/backing/reachable'
import { ROOT } from '@gateway-infra/system/paths'
import { choosePorts, type Ports } from '@gateway-infra/system/ports'
import { until } from '@gateway-infra/system/until'
import { NO_RATE_LIMITS } from '@gateway-tools/load/measured-stack'
import { removeNames } from '@gateway-tools/load/names'
import { killServices, startService, type ServiceProcess } from '@gateway-tools/load/service-process'
import { startBalancer, type Balancer } from './balancer.ts'

/** The code of a service: a checkout, and its own function that makes a service's environment. */
export interface Release {
  readonly root: string
  readonly environment: typeof serviceEnvironment
}

export interface FleetOptions {
  /** Data of the fleet is removed afterwards, unless the servers are temporary. */
  readonly backing: { readonly mongoUrl: string; readonly amqpUrl: string; readonly isTemporary: boolean }
  readonly replicas: number
  /** The release of each service; by default this checkout. */
  readonly releaseOf?: (service: ServiceDefinition) => Release
  readonly env?: Readonly<Record<string, string>>
}

export type Replica = ReturnType<typeof makeReplica>

/** Every service in several processes behind a balancer; services call one another through the balancers only. */
export interface Fleet {
  readonly baseUrl: string
  readonly networkUrl: string
  readonly secrets: Secrets
  /** What this service sends to other services. */
  tokenOf(service: ServiceName): string
  readonly ca: CaFiles
  readonly replicas: readonly Replica[]
  anyReplica(service: ServiceName): Replica
  /** auth-token's API for operators. */
  operator(): { readonly url: string; readonly token: string }
  /** Resolves when the replica gets connections. */
  untilServing(replica: Replica): Promise<void>
  readonly logDir: string
  /** Stops everything. `keepLogs` leaves the log files. */
  stop(options: { keepLogs: boolean }): Promise<void>
}

/** Repeated enquiries come as late as in production. */
const ENV = { ...NO_RATE_LIMITS, FINAL_ENQUIRY_DELAYS: '15m,24h', WEBHOOK_AUDIT_GRACE: '1s' }
const SERVING_WITHIN_MS = 60_000
const THIS: Release = { root: ROOT, environment: serviceEnvironment }

export async function startFleet({ backing, replicas: count, releaseOf = () => THIS, env = {} }: FleetOptions): Promise<Fleet> {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-fleet-'))
  const logDir = join(folder, 'logs')
  // Each fleet draws its own secrets, so it needs its own names: it cannot open what another one has sealed.
  const id = randomBytes(4).toString('hex')
  const prefixes = { databasePrefix: `fleet_${id}_`, amqpPrefix: `fleet.${id}.` }
  const [ports, ca, secrets] = [await freePorts(), await ensureCa(folder), ensureSecrets(folder)]
  const { mongoUrl, amqpUrl } = backing
  const wiring: Wiring = { mongoUrl, amqpUrl, ...prefixes, ports, secrets, caFile: ca.certFile }
  const callers = { PATH: process.env['PATH'], ...ENV, ...env }

  const replicas: Replica[] = []
  const tokens = new Map<ServiceName, string>()
  for (let number = 1; number <= count; number++) {
    const own = await freePorts()
    for (const service of SERVICES) {
      const { root, environment } = releaseOf(service)
      const variables = environment(service, wiring, callers)
      tokens.set(service.name, variables['INTERNAL_API_TOKEN'] ?? variables['SERVICE_TOKEN'] ?? '')
      replicas.push(makeReplica({ service: service.name, number, root, env: variables, own, logDir }))
    }
  }
  for (const root of new Set(SERVICES.map((service) => releaseOf(service).root)))
    await buildAllIndexes({ ...wiring, root, logFile: join(folder, 'indexes.log') })

  const balancers = new Map<ServiceName, Balancer>()
  const fleet: Fleet = {
    baseUrl: serviceUrl(ports, 'api-gateway'),
    networkUrl: serviceUrl(ports, 'network-simulator'),
    ...{ secrets, ca, replicas, logDir },
    tokenOf: (name) => tokens.get(name) ?? '',
    anyReplica(name) {
      const replica = replicas.find(({ service }) => service === name)
      if (!replica) throw new Error(`there is no ${name}`)
      return replica
    },
    operator() {
      const { operatorPort } = fleet.anyReplica('auth-token')
      return { url: `http://127.0.0.1:${operatorPort}`, token: secrets.authTokenOperatorToken }
    },
    untilServing: ({ service, port }) =>
      until(service, () => Promise.resolve(balancers.get(service)?.isServing(port) ?? false), SERVING_WITHIN_MS),
    async stop({ keepLogs }) {
      await Promise.all(replicas.map((replica) => replica.stop()))
      await killServices()
      await Promise.all([...balancers.values()].map((balancer) => balancer.stop()))
      if (!backing.isTemporary) await removeNames({ ...backing, amqpUrl: await firstAmqp(backing.amqpUrl) }, prefixes)
      if (!keepLogs) await rm(folder, { recursive: true })
    },
  }
  try {
    for (const { name } of SERVICES) {
      const backends = replicas.filter(({ service }) => service === name).map(({ port }) => port)
      balancers.set(name, await startBalancer(ports[name], backends))
    }
    await Promise.all(replicas.map((replica) => replica.start()))
    await Promise.all(replicas.map((replica) => fleet.untilServing(replica)))
    return fleet
  } catch (error) {
    await fleet.stop({ keepLogs: true })
    throw error
  }
}

const freePorts = (): Promise<Ports> => choosePorts({ STACK_PORTS: 'auto' })

interface ReplicaOptions {
  readonly service: ServiceName
  /** From 1. */
  readonly number: number
  readonly root: string
  readonly env: NodeJS.ProcessEnv
  readonly own: Ports
  readonly logDir: string
}

/** One process of a service, which can be restarted. */
function makeReplica({ service, number, root, env, own, logDir }: ReplicaOptions) {
  /** 0 for a service without an operator API. */
  const operatorPort =
    service === 'auth-token' || service === 'webhook-dispatcher' || service === 'ledger' ? own[`${service}-operator`] : 0
  const port = own[service]
  const told = operatorPort === 0 ? env : { ...env, OPERATOR_PORT: String(operatorPort) }
  let running: ServiceProcess | undefined
  return {
    ...{ service, number, port, operatorPort },
    async start(): Promise<void> {
      const logFile = join(logDir, `${service}-${number}.log`)
      // Services that it calls may not be there yet: `degraded` is ready.
      running = await startService({ root, service, port, env: told, logFile, readyStates: ['ok', 'degraded'] })
    },
    /** SIGTERM; resolves with how it ended: `exit code 0` when it ended well. */
    stop: async (): Promise<string> => running?.stop() ?? 'never started',
    /** SIGKILL. */
    kill: async (): Promise<string> => running?.kill() ?? 'never started',
    /** SIGSTOP. */
    pause: (): void => running?.pause(),
    /** SIGCONT. */
    resume: (): void => running?.resume(),
  }
}
