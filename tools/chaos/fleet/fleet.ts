import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '@gateway/testkit'
import { removeNames } from '@gateway-tools/load/names'
import { firstAmqp } from '@gateway-infra/offline/backing/reachable'
import { buildAllIndexes } from '@gateway-infra/local/build-indexes'
import { ensureCa, type CaFiles } from '@gateway-infra/local/certificates'
import { ROOT } from '@gateway-infra/system/paths'
import { choosePorts, type Ports } from '@gateway-infra/system/ports'
import { ensureSecrets, type Secrets } from '@gateway-infra/local/secrets'
import { serviceEnvironment, SERVICES, serviceUrl, type ServiceDefinition, type Wiring } from '@gateway-infra/local/services'
import { startBalancer, type Balancer } from './balancer.ts'
import { makeReplica, type Replica } from './replica.ts'

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

/** Every service in several processes behind a balancer; services call one another through the balancers only. */
export interface Fleet {
  readonly baseUrl: string
  readonly networkUrl: string
  readonly secrets: Secrets
  readonly ca: CaFiles
  readonly replicas: readonly Replica[]
  readonly balancers: ReadonlyMap<string, Balancer>
  readonly logDir: string
  /** Stops everything. `keepLogs` leaves the log files. */
  stop(options: { keepLogs: boolean }): Promise<void>
}

/** Few merchants are the load of thousands: no rate limits. Repeated enquiries come as late as in production. */
const LOAD = {
  RATE_LIMIT_CREATE_PER_SECOND: '0',
  RATE_LIMIT_READ_PER_SECOND: '0',
  RATE_LIMIT_ANONYMOUS_PER_SECOND: '0',
  RATE_LIMIT_CHECKOUT_PER_SECOND: '0',
  FINAL_ENQUIRY_DELAYS: '15m,24h',
  WEBHOOK_AUDIT_GRACE: '1s',
}

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
  const callers = { PATH: process.env['PATH'], ...LOAD, ...env }

  const replicas: Replica[] = []
  for (let number = 1; number <= count; number++) {
    const own = await freePorts()
    for (const service of SERVICES) {
      const { root, environment } = releaseOf(service)
      const told = { ...environment(service, wiring, callers), ...portsOf(service, own) }
      const logFile = join(logDir, `${service.name}-${number}.log`)
      replicas.push(makeReplica({ service: service.name, number, root, port: own[service.name], env: told, logFile }))
    }
  }
  for (const root of new Set(SERVICES.map((service) => releaseOf(service).root)))
    await buildAllIndexes({ ...wiring, root, logFile: join(folder, 'indexes.log') })

  const balancers = new Map<string, Balancer>()
  for (const { name } of SERVICES)
    balancers.set(
      name,
      await startBalancer(
        ports[name],
        replicas.filter(({ service }) => service === name),
      ),
    )
  const stopAll = async (): Promise<void> => {
    await Promise.all(replicas.map((replica) => replica.stop()))
    await Promise.all([...balancers.values()].map((balancer) => balancer.stop()))
  }
  try {
    await Promise.all(replicas.map((replica) => replica.start()))
    await untilAllReady(balancers, count)
  } catch (error) {
    await stopAll()
    throw error
  }
  return {
    baseUrl: serviceUrl(ports, 'api-gateway'),
    networkUrl: serviceUrl(ports, 'network-simulator'),
    secrets,
    ca,
    replicas,
    balancers,
    logDir,
    async stop({ keepLogs }) {
      await stopAll()
      if (!backing.isTemporary) await removeNames({ ...backing, amqpUrl: await firstAmqp(backing.amqpUrl) }, prefixes)
      if (!keepLogs) await rm(folder, { recursive: true })
    },
  }
}

async function untilAllReady(balancers: ReadonlyMap<string, Balancer>, count: number): Promise<void> {
  await eventually(
    () => {
      for (const [name, { ready }] of balancers) if (ready.length < count) throw new Error(`${name}: ${ready.length} are ready`)
    },
    { deadlineMs: 60_000 },
  )
}

const freePorts = (): Promise<Ports> => choosePorts({ STACK_PORTS: 'auto' })

function portsOf({ name }: ServiceDefinition, own: Ports): Record<string, string> {
  const operator =
    name === 'auth-token' ? own['auth-token-operator'] : name === 'webhook-dispatcher' ? own['webhook-dispatcher-operator'] : 0
  return { PORT: String(own[name]), ...(operator === 0 ? {} : { OPERATOR_PORT: String(operator) }) }
}
