/** All service images on one network. Each service reaches database and broker through its own Toxiproxy proxy. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Network, Wait, type StartedTestContainer } from 'testcontainers'
import type { Stack } from '@gateway-infra/local/stack-file'
import { NO_MERCHANT } from '@gateway-infra/local/seed'
import { ensureCa, ensureSecrets } from '@gateway-infra/local/secrets'
import { SERVICES, type ServiceDefinition, type ServiceName } from '@gateway-infra/local/services'
import { run } from '@gateway-infra/system/run'
import { given, OwnContainer, ServiceContainer } from './containers.ts'
import { RUN_LABEL } from '../leftovers.ts'
import { AUTH_OPERATOR_PORT, CA_IN_CONTAINER, containerEnvironment } from './service-env.ts'
import { proxiesAt, type Proxies } from './toxiproxy.ts'

export interface ContainerStack {
  readonly description: Stack
  readonly proxies: Proxies
  readonly containers: Readonly<Record<ServiceName | 'mongo' | 'rabbitmq', StartedTestContainer>>
  readonly networkName: string
  stop(): Promise<void>
}

export const PROXIED = {
  mongo: ['auth-token', 'order-api', 'payment-status', 'webhook-dispatcher', 'ledger', 'network-simulator'],
  rabbitmq: ['order-api', 'payment-status', 'webhook-dispatcher', 'ledger'],
} as const satisfies Record<string, readonly ServiceName[]>

const UPSTREAMS = { mongo: 'mongo:27017', rabbitmq: 'rabbitmq:5672' } as const
const FIRST_PORT = { mongo: 27_100, rabbitmq: 56_700 } as const
const HAS_INDEXES: readonly string[] = PROXIED.mongo
const API_PORT = 8474
let networks = 0

/** Resolves when every service is ready. Everything has the label of this run. */
export async function startContainerStack(): Promise<ContainerStack> {
  const stateDir = mkdtempSync(join(tmpdir(), 'gateway-containers-'))
  const networkName = `payment-gateway-${given('CONTAINERS_RUN')}-${++networks}`
  const network = await new Network({ nextUuid: () => networkName }).start()
  const started: StartedTestContainer[] = []
  const keep = async (starting: Promise<StartedTestContainer>): Promise<StartedTestContainer> => {
    const container = await starting
    started.push(container)
    return container
  }
  const stop = async (): Promise<void> => {
    await Promise.all(started.map(async (container) => container.stop({ remove: true, removeVolumes: true })))
    await network.stop()
    await run('docker', ['volume', 'rm', '--force', ...['mongo', 'rabbitmq'].map((engine) => volumeName(networkName, engine))])
    rmSync(stateDir, { recursive: true, force: true })
  }
  try {
    const ca = await ensureCa(stateDir)
    // The certificate is public, and the container reads it as another user.
    chmodSync(ca.certFile, 0o644)
    const secrets = ensureSecrets(stateDir)
    const engines = [startMongo(network), startRabbitMq(network), startToxiproxy(network)] as const
    await allOf(engines.map(keep))
    const [mongo, rabbitmq, toxiproxy] = await Promise.all(engines)
    const proxies = proxiesAt(`http://${toxiproxy.getHost()}:${toxiproxy.getMappedPort(API_PORT)}`)
    await createProxies(proxies)
    const services = await allOf(
      SERVICES.map(async (service) => {
        const env = await containerEnvironment(service, secrets, enginesOf(service))
        if (HAS_INDEXES.includes(service.name)) {
          const step = new ServiceContainer(service.name, network, { ...env, PORT: '8081' })
            .withNetworkAliases(`${service.name}-indexes`)
            .withCommand(['node', 'src/build-indexes.ts'])
            .withExposedPorts()
            .withWaitStrategy(Wait.forOneShotStartup())
          await (await step.start()).stop()
        }
        const container = new ServiceContainer(service.name, network, env)
          .withExtraHosts([{ host: 'host.docker.internal', ipAddress: 'host-gateway' }])
          .withBindMounts([{ source: ca.certFile, target: CA_IN_CONTAINER, mode: 'ro' }])
        if (service.name === 'auth-token') container.withExposedPorts(AUTH_OPERATOR_PORT)
        return [service.name, await keep(container.start())] as const
      }),
    )
    const byName = Object.fromEntries(services) as Record<ServiceName, StartedTestContainer>
    const urlOf = (name: ServiceName, port = 8080): string =>
      `http://${byName[name].getHost()}:${byName[name].getMappedPort(port)}`
    const description: Stack = {
      base_url: urlOf('api-gateway'),
      network_url: urlOf('network-simulator'),
      ca_file: ca.certFile,
      ca_key_file: ca.keyFile,
      mongo_url: `mongodb://${mongo.getHost()}:${mongo.getMappedPort(27017)}`,
      amqp_url: `amqp://guest:guest@${rabbitmq.getHost()}:${rabbitmq.getMappedPort(5672)}`,
      operator: { url: urlOf('auth-token', AUTH_OPERATOR_PORT), token: secrets.authTokenOperatorToken },
      ledger_operator: { url: 'http://ledger:8116', token: secrets.ledgerOperatorToken },
      webhook_operator: { url: 'http://webhook-dispatcher:8115', token: secrets.webhookOperatorToken },
      merchant: { ...NO_MERCHANT, webhook_url: 'https://host.docker.internal/webhooks' },
      services: {},
    }
    return { description, proxies, containers: { ...byName, mongo, rabbitmq }, networkName, stop }
  } catch (error) {
    // The run's end removes what remains; the error of the start is the one to report.
    await stop().catch(() => undefined)
    throw error
  }
}

/** Waits for all also when one fails: otherwise a container that starts late would not be stopped. */
async function allOf<T>(works: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(works)
  return Promise.all(works)
}

type Net = Awaited<ReturnType<Network['start']>>

async function startMongo(network: Net): Promise<StartedTestContainer> {
  return new OwnContainer(given('MONGO_IMAGE'), network, 'mongo')
    .withBindMounts([{ source: await createVolume(network, 'mongo'), target: '/data/db' }])
    .withExposedPorts(27017)
    .start()
}

async function startRabbitMq(network: Net): Promise<StartedTestContainer> {
  return new OwnContainer(given('RABBITMQ_IMAGE'), network, 'rabbitmq')
    .withHostname('rabbitmq')
    .withBindMounts([{ source: await createVolume(network, 'rabbitmq'), target: '/var/lib/rabbitmq' }])
    .withExposedPorts(5672)
    .start()
}

/** Creates a volume with this run's label, so that it can be counted and removed. Volumes that an image declares have no label. */
async function createVolume(network: Net, engine: keyof typeof PROXIED): Promise<string> {
  const name = volumeName(network.getName(), engine)
  await run('docker', ['volume', 'create', '--label', `${RUN_LABEL}=${given('CONTAINERS_RUN')}`, name])
  return name
}

function volumeName(networkName: string, engine: string): string {
  return `${networkName}-${engine}`
}

async function startToxiproxy(network: Net): Promise<StartedTestContainer> {
  return new OwnContainer(given('TOXIPROXY_IMAGE'), network, 'toxiproxy')
    .withCommand(['-host=0.0.0.0'])
    .withExposedPorts(API_PORT)
    .withWaitStrategy(Wait.forHttp('/version', API_PORT).forStatusCode(200))
    .start()
}

/** `order-api.mongo` */
export function proxyName(service: string, engine: keyof typeof PROXIED): string {
  return `${service}.${engine}`
}

async function createProxies(proxies: Proxies): Promise<void> {
  for (const engine of ['mongo', 'rabbitmq'] as const) {
    for (const [index, service] of PROXIED[engine].entries()) {
      const listen = `0.0.0.0:${FIRST_PORT[engine] + index}`
      await proxies.create({ name: proxyName(service, engine), listen, upstream: UPSTREAMS[engine] })
    }
  }
}

function enginesOf({ name }: ServiceDefinition): { mongoUrl: string; amqpUrl: string } {
  const port = (engine: keyof typeof PROXIED): number => FIRST_PORT[engine] + (PROXIED[engine] as readonly string[]).indexOf(name)
  return { mongoUrl: `mongodb://toxiproxy:${port('mongo')}`, amqpUrl: `amqp://guest:guest@toxiproxy:${port('rabbitmq')}` }
}
