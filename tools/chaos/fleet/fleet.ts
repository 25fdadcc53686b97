import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildAllIndexes } from '@gateway-infra/local/start-services'
import { ensureCa, ensureSecrets } from '@gateway-infra/local/secrets'
import {
  operatorPortOf,
  serviceEnvironment,
  SERVICES,
  serviceUrl,
  type ServiceDefinition,
  type ServiceName,
  type Wiring,
} from '@gateway-infra/local/services'
import { jsonClient, removeNames, type JsonClient } from '@gateway/testkit'
import { firstAmqp, type Backing } from '@gateway-infra/offline/backing/backing'
import { ROOT } from '@gateway-infra/system/paths'
import { choosePorts, type Ports } from '@gateway-infra/system/ports'
import { unlessStopped, until } from '@gateway-infra/system/stopping'
import { NO_RATE_LIMITS } from '@gateway-tools/load/measured-stack'
import { killServices, startService, type ServiceProcess } from '@gateway-tools/load/service-process'
import { startBalancer, type Balancer } from './balancer.ts'

/** The code of a service: a checkout, and its own function that makes a service's environment. */
export interface Release {
  readonly root: string
  readonly environment: typeof serviceEnvironment
}

export interface FleetOptions {
  /** On `given` servers the fleet's data is removed afterwards; all other servers are temporary. */
  readonly backing: Pick<Backing, 'mongoUrl' | 'amqpUrl'> & { readonly kind: string }
  readonly replicas: number
  /** The release of each service; by default this checkout. */
  readonly releaseOf?: (service: ServiceDefinition) => Release
  readonly env?: Readonly<Record<string, string>>
}

export type Replica = ReturnType<typeof makeReplica>

/** A running fleet. Its addresses and tokens have the names of `stack.json`, so that load runs on either. */
export type Fleet = Awaited<ReturnType<typeof startFleet>>

/** Repeated enquiries come as late as in production. */
const ENV = { ...NO_RATE_LIMITS, FINAL_ENQUIRY_DELAYS: '15m,24h', WEBHOOK_AUDIT_GRACE: '1s' }
const SERVING_WITHIN_MS = 60_000
const THIS: Release = { root: ROOT, environment: serviceEnvironment }

/** Every service in several processes behind a balancer; services call one another through the balancers only. */
export async function startFleet({ backing, replicas: count, releaseOf = () => THIS, env = {} }: FleetOptions) {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-fleet-'))
  const logDir = join(folder, 'logs')
  // Each fleet draws its own secrets, so it needs its own names: it cannot open what another one has sealed.
  const id = randomBytes(4).toString('hex')
  const prefixes = { databasePrefix: `fleet_${id}_`, amqpPrefix: `fleet.${id}.` }
  const [ports, ca, secrets] = [await freePorts(), await ensureCa(folder), ensureSecrets(folder)]
  const { mongoUrl, amqpUrl } = backing
  const wiring: Wiring = { mongoUrl, amqpUrl, ...prefixes, ports, secrets, caFile: ca.certFile }

  const replicas: Replica[] = []
  const tokens = new Map<ServiceName, string>()
  for (let number = 1; number <= count; number++) {
    const own = await freePorts()
    for (const service of SERVICES) {
      const { root, environment } = releaseOf(service)
      const variables = environment(service, wiring, { PATH: process.env['PATH'], ...ENV, ...env })
      tokens.set(service.name, variables['SERVICE_TOKEN'] ?? '')
      replicas.push(makeReplica(service.name, number, root, variables, own, logDir))
    }
  }
  const balancers = new Map<ServiceName, Balancer>()
  const untilServing = ({ service, port }: Replica): Promise<void> =>
    until(service, () => Promise.resolve(balancers.get(service)?.isServing(port) ?? false), SERVING_WITHIN_MS)
  const addressOf = (name: ServiceName, port: 'port' | 'operatorPort'): string =>
    `http://127.0.0.1:${replicas.find(({ service }) => service === name)?.[port]}`

  /** Stops everything. `keepLogs` leaves the log files. */
  async function stop({ keepLogs }: { keepLogs: boolean }): Promise<void> {
    await Promise.all(replicas.map((replica) => replica.stop()))
    await killServices()
    await Promise.all([...balancers.values()].map((balancer) => balancer.stop()))
    if (backing.kind === 'given') await removeNames({ mongoUrl, amqpUrl: await firstAmqp(amqpUrl) }, prefixes)
    if (!keepLogs) await rm(folder, { recursive: true })
  }
  try {
    for (const root of new Set(SERVICES.map((service) => releaseOf(service).root)))
      await buildAllIndexes({ ...wiring, root, logFile: join(folder, 'indexes.log') })
    for (const { name } of SERVICES) {
      const backends = replicas.filter(({ service }) => service === name).map(({ port }) => port)
      balancers.set(name, await startBalancer(ports[name], backends))
    }
    await Promise.all(replicas.map((replica) => replica.start()))
    await Promise.all(replicas.map(untilServing))
  } catch (error) {
    await stop({ keepLogs: true })
    throw error
  }
  return {
    ...{ base_url: serviceUrl(ports, 'api-gateway'), network_url: serviceUrl(ports, 'network-simulator') },
    ...{ ca_file: ca.certFile, ca_key_file: ca.keyFile },
    operator: { url: addressOf('auth-token', 'operatorPort'), token: secrets.authTokenOperatorToken },
    webhook_operator: { url: addressOf('webhook-dispatcher', 'operatorPort'), token: secrets.webhookOperatorToken },
    ...{ replicas, logDir, stop },
    /** Variables with which operators' commands work on this fleet. */
    operatorEnv: {
      MONGO_URL: mongoUrl,
      AMQP_URL: amqpUrl,
      DATABASE_PREFIX: prefixes.databasePrefix,
      AMQP_PREFIX: prefixes.amqpPrefix,
    },
    /** Resolves when the replica gets connections. */
    untilServing,
    /** A client of the internal API of a service, with the token that `caller` has for it. */
    internalClient: (service: ServiceName, caller: ServiceName): JsonClient =>
      jsonClient(addressOf(service, 'port'), { authorization: `Bearer ${tokens.get(caller)}` }),
  }
}

/** `work` resolves to whether all went well, which becomes the exit code; if not, the logs of the fleet are kept. */
export async function withFleet(options: FleetOptions, work: (fleet: Fleet) => Promise<boolean>): Promise<0 | 1> {
  const fleet = await startFleet(options)
  let isFlawless = false
  try {
    isFlawless = await unlessStopped(() => work(fleet))
    return isFlawless ? 0 : 1
  } finally {
    if (!isFlawless) console.log(`logs: ${fleet.logDir}`)
    await fleet.stop({ keepLogs: !isFlawless })
  }
}

const freePorts = (): Promise<Ports> => choosePorts({ STACK_PORTS: 'auto' })

/** One process of a service, which can be restarted. The replicas of a service are numbered from 1. */
function makeReplica(service: ServiceName, number: number, root: string, env: NodeJS.ProcessEnv, own: Ports, logDir: string) {
  /** 0 for a service without an operator API. */
  const operatorPortName = operatorPortOf(service)
  const operatorPort = operatorPortName === undefined ? 0 : own[operatorPortName]
  const port = own[service]
  const told: NodeJS.ProcessEnv = operatorPort === 0 ? { ...env } : { ...env, OPERATOR_PORT: String(operatorPort) }
  let running: ServiceProcess | undefined
  return {
    ...{ service, number, port, operatorPort },
    async start(): Promise<void> {
      const logFile = join(logDir, `${service}-${number}.log`)
      // Services that it calls may not be there yet: `degraded` is ready.
      running = await startService({ root, service, port, env: told, logFile, readyStates: ['ok', 'degraded'] })
    },
    /** Changes its environment; the next start uses it. */
    configure: (variables: Readonly<Record<string, string>>): void => void Object.assign(told, variables),
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
