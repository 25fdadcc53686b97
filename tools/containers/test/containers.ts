import { GenericContainer, Wait, type StartedNetwork } from 'testcontainers'
import { RUN_LABEL, runName } from '../run-label.ts'

const STARTS_WITHIN_MS = 200_000

/** A container with the label of this run, on a network under an alias. */
export class OwnContainer extends GenericContainer {
  constructor(image: string, network: StartedNetwork, alias: string) {
    super(image)
    this.withNetwork(network)
      .withNetworkAliases(alias)
      .withLabels({ [RUN_LABEL]: runName() })
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

/** The image that `npm run test:containers` named in this variable. */
export function baseImage(variable: 'NODE_IMAGE' | 'MONGO_IMAGE' | 'RABBITMQ_IMAGE' | 'TOXIPROXY_IMAGE'): string {
  const image = process.env[variable]
  if (image === undefined) throw new Error(`${variable} is not set: run this with npm run test:containers`)
  return image
}
