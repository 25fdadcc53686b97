/** Database and broker as containers on 127.0.0.1. The containers are removed at the end; their volumes stay. */
import { instanceId } from '@gateway-infra/system/paths'
import { requireFree } from '@gateway-infra/system/ports'
import { hasImage, pullImage, run, succeeds } from '@gateway-infra/system/run'
import { until } from '@gateway-infra/system/stopping'
import { pingAmqp, pingMongo, type Backing, type BackingOptions } from '@gateway-infra/offline/backing/backing'

const READY_WITHIN_MS = 120_000
const STOP_WITHIN_SECONDS = 30
const STOP_OPTIONS = { evenWhenStopping: true, timeoutMs: (STOP_WITHIN_SECONDS + 10) * 1000 }

/** The reason why an image is missing; `undefined` when both are present, pulled if necessary. */
export async function imagesAreMissing({ env, progress }: BackingOptions): Promise<string | undefined> {
  for (const image of Object.values(imageNames(env))) {
    if (!(await hasImage(image)) && !(await pullImage(image, progress)))
      return `the image ${image} is not here and cannot be pulled`
  }
  return undefined
}

/** Starts both containers and waits until they answer. The engine starts one again when its process fails. */
export async function startDocker(options: BackingOptions): Promise<Omit<Backing, 'reason'>> {
  const { ports, progress, stateDir, isTemporary = false } = options
  const images = imageNames(options.env)
  const [mongo, rabbit] = [`${containerPrefix(stateDir)}-mongo`, `${containerPrefix(stateDir)}-rabbitmq`]
  const stop = async (): Promise<void> => {
    await removeContainers(stateDir)
  }
  await stop()
  await requireFree(ports, ['mongo', 'amqp'])

  const mongoUrl = `mongodb://127.0.0.1:${ports.mongo}`
  const amqpUrl = `amqp://guest:guest@127.0.0.1:${ports.amqp}`
  try {
    await progress.during(`starting containers of ${images.mongo} and ${images.rabbit}`, async () => {
      // The data folders are for images that declare no volume.
      await Promise.all([
        startContainer(mongo, images.mongo, `${ports.mongo}:27017`, isTemporary ? undefined : '/data/db'),
        startContainer(rabbit, images.rabbit, `${ports.amqp}:5672`, isTemporary ? undefined : '/var/lib/rabbitmq'),
      ])
      await Promise.all([
        until(mongo, () => pingMongo(mongoUrl), READY_WITHIN_MS),
        until(rabbit, () => pingAmqp(amqpUrl), READY_WITHIN_MS),
      ])
    })
  } catch (error) {
    await stop()
    throw error
  }
  return { kind: 'docker', mongoUrl, amqpUrl, stop }
}

function imageNames(env: NodeJS.ProcessEnv): { mongo: string; rabbit: string } {
  return { mongo: env['MONGO_IMAGE'] ?? 'mongo:8', rabbit: env['RABBITMQ_IMAGE'] ?? 'rabbitmq:4-management' }
}

/** `port` is the host's port and the one inside the container. Data is kept in volumes unless `dataFolder` is missing. */
async function startContainer(name: string, image: string, port: string, dataFolder?: string): Promise<void> {
  const format = '{{range $folder, $_ := .Config.Volumes}}{{$folder}} {{end}}'
  const declared = await run('docker', ['image', 'inspect', '--format', format, image])
  const folders = dataFolder === undefined ? [] : (declared.trim() || dataFolder).split(' ')
  const volumes = folders.flatMap((folder) => ['--volume', `${name}${folder.replaceAll('/', '-')}:${folder}`])
  // RabbitMQ names its data after the host name, so the host name is fixed.
  const fixed = ['--name', name, '--hostname', name, '--publish', `127.0.0.1:${port}`, '--restart', 'on-failure']
  await run('docker', ['run', '--detach', ...fixed, ...volumes, image])
}

/** Removes the containers of this state directory; resolves to their names. `--volumes` removes only anonymous volumes. */
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
