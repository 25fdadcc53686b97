/** Database and broker as containers on 127.0.0.1. The containers are removed at the end; their volumes stay. */
import { instanceId } from '@gateway-infra/system/paths'
import { requireFree } from '@gateway-infra/system/ports'
import { run, succeeds, withOneRetry } from '@gateway-infra/system/run'
import { until } from '@gateway-infra/system/until'
import type { Backing, BackingOptions } from '@gateway-infra/offline/backing/backing'
import { pingAmqp, pingMongo } from '@gateway-infra/offline/backing/reachable'

interface Container {
  readonly name: string
  readonly image: string
  /** The port inside the container. */
  readonly port: number
  readonly hostPort: number
  /** The image's data folder, for images that declare no volume. */
  readonly dataFolder: string
  readonly isTemporary: boolean
}

const PULL_WITHIN_MS = 600_000
const READY_WITHIN_MS = 120_000
const STOP_WITHIN_SECONDS = 30
const STOP_OPTIONS = { evenWhenStopping: true, timeoutMs: (STOP_WITHIN_SECONDS + 10) * 1000 }

/** The reason why an image is missing; `undefined` when both are present, pulled if necessary. */
export async function imagesAreMissing({ env, progress }: BackingOptions): Promise<string | undefined> {
  for (const image of Object.values(imageNames(env))) {
    if (await succeeds('docker', ['image', 'inspect', image])) continue
    try {
      await progress.during(`pulling ${image}`, async () =>
        withOneRetry(
          async () => run('docker', ['pull', image], { timeoutMs: PULL_WITHIN_MS }),
          () => progress.log(`pulling ${image} failed, retrying`),
        ),
      )
    } catch {
      return `the image ${image} is not here and cannot be pulled`
    }
  }
  return undefined
}

/** Starts both containers and waits until they answer. */
export async function startDocker(options: BackingOptions): Promise<Omit<Backing, 'reason'>> {
  const { ports, progress } = options
  const { mongo: mongoImage, rabbit: rabbitImage } = imageNames(options.env)
  const prefix = containerPrefix(options.stateDir)
  const isTemporary = options.isTemporary ?? false
  const containers: Container[] = [
    { name: `${prefix}-mongo`, image: mongoImage, port: 27017, hostPort: ports.mongo, dataFolder: '/data/db', isTemporary },
    {
      name: `${prefix}-rabbitmq`,
      image: rabbitImage,
      port: 5672,
      hostPort: ports.amqp,
      dataFolder: '/var/lib/rabbitmq',
      isTemporary,
    },
  ]
  const stop = async (): Promise<void> => {
    await removeContainers(options.stateDir)
  }
  await stop()
  await requireFree(ports, ['mongo', 'amqp'])

  const mongoUrl = `mongodb://127.0.0.1:${ports.mongo}`
  const amqpUrl = `amqp://guest:guest@127.0.0.1:${ports.amqp}`
  try {
    await progress.during(`starting containers of ${mongoImage} and ${rabbitImage}`, async () => {
      await Promise.all(containers.map(startContainer))
      await Promise.all([
        until(`${prefix}-mongo`, async () => pingMongo(mongoUrl).then(() => true), READY_WITHIN_MS),
        until(`${prefix}-rabbitmq`, async () => pingAmqp(amqpUrl).then(() => true), READY_WITHIN_MS),
      ])
    })
  } catch (error) {
    await stop()
    throw error
  }
  const failed = Promise.race(containers.map(async ({ name }) => untilEnded(name)))
  const restartBroker = async (): Promise<void> => {
    await run('docker', ['restart', '--time', String(STOP_WITHIN_SECONDS), `${prefix}-rabbitmq`], STOP_OPTIONS)
    await until(`${prefix}-rabbitmq`, async () => pingAmqp(amqpUrl).then(() => true), READY_WITHIN_MS)
  }
  return { kind: 'docker', mongoUrl, amqpUrl, pids: {}, failed, restartBroker, stop }
}

async function untilEnded(name: string): Promise<string> {
  const waited = await run('docker', ['wait', name], { evenWhenStopping: true }).catch((error: unknown) => String(error))
  return `container ${name} ended by itself (${waited.trim()})`
}

function imageNames(env: NodeJS.ProcessEnv): { mongo: string; rabbit: string } {
  return { mongo: env['MONGO_IMAGE'] ?? 'mongo:8', rabbit: env['RABBITMQ_IMAGE'] ?? 'rabbitmq:4-management' }
}

async function startContainer({ name, image, port, hostPort, dataFolder, isTemporary }: Container): Promise<void> {
  const format = '{{range $folder, $_ := .Config.Volumes}}{{$folder}} {{end}}'
  const declared = await run('docker', ['image', 'inspect', '--format', format, image])
  const folders = declared.trim() === '' ? [dataFolder] : declared.trim().split(' ')
  const volumes = isTemporary ? [] : folders.flatMap((folder) => ['--volume', `${name}${folder.replaceAll('/', '-')}:${folder}`])
  // RabbitMQ names its data after the host name, so the host name is fixed.
  const fixed = ['--name', name, '--hostname', name, '--publish', `127.0.0.1:${hostPort}:${port}`]
  await run('docker', ['run', '--detach', ...fixed, ...volumes, image])
}

/**
 * Stops and removes the containers of this state directory; resolves to their names. `--volumes` removes only anonymous
 * volumes.
 */
export async function removeContainers(stateDir: string): Promise<string[]> {
  const filter = ['--all', '--filter', `name=^${containerPrefix(stateDir)}-`, '--format', '{{.Names}}']
  const listed = await run('docker', ['ps', ...filter], STOP_OPTIONS).catch(() => '')
  const names = listed.split('\n').filter((name) => name !== '')
  await Promise.all(
    names.map(async (name) => {
      await succeeds('docker', ['stop', '--time', String(STOP_WITHIN_SECONDS), name], STOP_OPTIONS)
      await run('docker', ['rm', '--force', '--volumes', name], STOP_OPTIONS)
    }),
  )
  return names
}

function containerPrefix(stateDir: string): string {
  return `payment-gateway-${instanceId(stateDir)}`
}
