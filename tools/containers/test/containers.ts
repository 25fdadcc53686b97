import { GenericContainer, Wait, type StartedNetwork } from 'testcontainers'
import { RUN_LABEL } from '../leftovers.ts'

const STARTS_WITHIN_MS = 200_000

/** A container with the label of this run, on a network under an alias. */
export class OwnContainer extends GenericContainer {
  constructor(image: string, network: StartedNetwork, alias: string) {
    super(image)
    this.withNetwork(network)
      .withNetworkAliases(alias)
      .withLabels({ [RUN_LABEL]: given('CONTAINERS_RUN') })
      .withStartupTimeout(STARTS_WITHIN_MS)
  }
}

/** A service's image as in production: read-only, without privileges, not as root. */
export class ServiceContainer extends OwnContainer {
  constructor(name: string, network: StartedNetwork, env: Record<string, string>) {
    super(serviceImage(name), network, name)
    this.hostConfig.ReadonlyRootfs = true
    this.withTmpFs({ '/tmp': 'rw' })
      .withDroppedCapabilities('ALL')
      .withSecurityOpt('no-new-privileges:true')
      .withEnvironment(env)
      .withExposedPorts(8080)
      .withWaitStrategy(Wait.forHttp('/readyz', 8080, { abortOnContainerExit: true }).forStatusCode(200).withReadTimeout(10_000))
  }
}

/** The image's name in docker-compose.yml. */
export function serviceImage(name: string): string {
  return `${process.env['IMAGE_PREFIX'] ?? 'payment-gateway'}/${name}:${process.env['IMAGE_TAG'] ?? 'local'}`
}

/** A variable that `npm run test:containers` sets: the name of its run or an image. */
export function given(variable: 'CONTAINERS_RUN' | 'NODE_IMAGE' | 'MONGO_IMAGE' | 'RABBITMQ_IMAGE' | 'TOXIPROXY_IMAGE'): string {
  const value = process.env[variable]
  if (!value) throw new Error(`${variable} is not set: run this with npm run test:containers`)
  return value
}
