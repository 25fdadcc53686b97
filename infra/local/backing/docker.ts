/** Database and broker as containers on 127.0.0.1. The containers are removed at the end; their volumes stay. */
import { instanceId } from '@gateway-infra/system/paths'
import { requireFree } from '@gateway-infra/system/ports'
import { run, succeeds } from '@gateway-infra/system/run'
import { until } from '@gateway-infra/system/until'
import type { Backing, BackingOptions } from '@gateway-infra/offline/backing/backing'
import { pingAmqp, pingMongo } from '@gateway-infra/offline/backing/reachable'

interface Container {
  readonly name: string
  readonly image: string
  /** The host's port and the one inside the container, with a colon between them. */
  readonly port: string
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
    // Twice: downloads fail now and then.
    const pull = (): Promise<boolean> => succeeds('docker', ['pull', image], { timeoutMs: PULL_WITHIN_MS })
    const isPulled = await progress.during(`pulling ${image}`, async () => (await pull()) || (await pull()))
    if (!isPulled) return `the image ${image} is not here and cannot be pulled`
  }
  return undefined
}

/** Starts both containers and waits until they answer. The engine starts one again when its process fails. */
export async function startDocker(options: BackingOptions): Promise<Omit<Backing, 'reason'>> {
  const { ports, progress, stateDir, isTemporary = false } = options
  const images = imageNames(options.env)
  const [mongo, rabbit] = ['mongo', 'rabbitmq'].map((name) => `${containerPrefix(stateDir)}-${name}`) as [string, string]
  const stop = async (): Promise<void> => {
    await removeContainers(stateDir)
  }
  await stop()
  await requireFree(ports, ['mongo', 'amqp'])

  const mongoUrl = `mongodb://127.0.0.1:${ports.mongo}`
  const amqpUrl = `amqp://guest:guest@127.0.0.1:${ports.amqp}`
  const untilBrokerAnswers = (): Promise<void> => until(rabbit, () => pingAmqp(amqpUrl), READY_WITHIN_MS)
  try {
    await progress.during(`starting containers of ${images.mongo} and ${images.rabbit}`, async () => {
      const published = { mongo: `${ports.mongo}:27017`, rabbit: `${ports.amqp}:5672` }
      await Promise.all([
        startContainer({ name: mongo, image: images.mongo, port: published.mongo, dataFolder: '/data/db', isTemporary }),
        startContainer({
          name: rabbit,
          image: images.rabbit,
          port: published.rabbit,
          dataFolder: '/var/lib/rabbitmq',
          isTemporary,
        }),
      ])
      await Promise.all([until(mongo, () => pingMongo(mongoUrl), READY_WITHIN_MS), untilBrokerAnswers()])
    })
  } catch (error) {
    await stop()
    throw error
  }
  const restartBroker = async (): Promise<void> => {
    await run('docker', ['restart', '--time', String(STOP_WITHIN_SECONDS), rabbit], STOP_OPTIONS)
    await untilBrokerAnswers()
  }
  return { kind: 'docker', mongoUrl, amqpUrl, restartBroker, stop }
}

function imageNames(env: NodeJS.ProcessEnv): { mongo: string; rabbit: string } {
  return { mongo: env['MONGO_IMAGE'] ?? 'mongo:8', rabbit: env['RABBITMQ_IMAGE'] ?? 'rabbitmq:4-management' }
}

async function startContainer({ name, image, port, dataFolder, isTemporary }: Container): Promise<void> {
  const format = '{{range $folder, $_ := .Config.Volumes}}{{$folder}} {{end}}'
  const declared = await run('docker', ['image', 'inspect', '--format', format, image])
  const folders = declared.trim() === '' ? [dataFolder] : declared.trim().split(' ')
  const volumes = isTemporary ? [] : folders.flatMap((folder) => ['--volume', `${name}${folder.replaceAll('/', '-')}:${folder}`])
  // RabbitMQ names its data after the host name, so the host name is fixed.
  const fixed = ['--name', name, '--hostname', name, '--publish', `127.0.0.1:${port}`, '--restart', 'on-failure']
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
