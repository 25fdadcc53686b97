/** Backing services as containers, bound to 127.0.0.1. Containers go at the end, their volumes stay. */
import { instanceId } from '../paths.ts'
import { requireFree } from '../ports.ts'
import { run, succeeds, withOneRetry } from '../system/run.ts'
import { until } from '../system/until.ts'
import type { Backing, BackingOptions } from './backing.ts'
import { pingAmqp, pingMongo } from './reachable.ts'

interface Container {
  readonly name: string
  readonly image: string
  /** Inside the container. */
  readonly port: number
  readonly hostPort: number
  /** Where the image keeps its data, if it does not say so itself. */
  readonly dataFolder: string
}

const PULL_WITHIN_MS = 600_000
const READY_WITHIN_MS = 120_000
const STOP_WITHIN_SECONDS = 30

/** Why containers cannot be used, or `undefined` when an engine answers. */
export async function dockerIsImpossible(): Promise<string | undefined> {
  return (await succeeds('docker', ['info'], { timeoutMs: 5_000 })) ? undefined : 'no Docker engine answers'
}

/** Why the images cannot be had, or `undefined` when both are here (after a pull if need be). */
export async function imagesAreMissing({ env, progress }: BackingOptions): Promise<string | undefined> {
  for (const image of Object.values(imageNames(env))) {
    if (await succeeds('docker', ['image', 'inspect', image])) continue
    try {
      await progress.during(`pulling ${image}`, async () =>
        withOneRetry(
          async () => run('docker', ['pull', image], { timeoutMs: PULL_WITHIN_MS }),
          () => progress.log(`pulling ${image} failed, trying once more`),
        ),
      )
    } catch {
      return `the image ${image} can neither be found nor pulled`
    }
  }
  return undefined
}

/** Starts both containers and waits until they answer. */
export async function startDocker(options: BackingOptions): Promise<Omit<Backing, 'reason'>> {
  const { ports, progress } = options
  const { mongo: mongoImage, rabbit: rabbitImage } = imageNames(options.env)
  const prefix = `payment-gateway-${instanceId(options.stateDir)}`
  const containers: Container[] = [
    { name: `${prefix}-mongo`, image: mongoImage, port: 27017, hostPort: ports.mongo, dataFolder: '/data/db' },
    { name: `${prefix}-rabbitmq`, image: rabbitImage, port: 5672, hostPort: ports.amqp, dataFolder: '/var/lib/rabbitmq' },
  ]
  const stop = async (): Promise<void> => {
    await Promise.all(containers.map(async ({ name }) => removeContainer(name)))
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
  const failed = Promise.race(
    containers.map(async ({ name }) =>
      run('docker', ['wait', name], { evenWhenStopping: true }).then(() => `container ${name} ended by itself`),
    ),
  )
  failed.catch(() => undefined)
  return { kind: 'docker', mongoUrl, amqpUrl, pids: {}, failed, stop }
}

function imageNames(env: NodeJS.ProcessEnv): { mongo: string; rabbit: string } {
  return { mongo: env['MONGO_IMAGE'] ?? 'mongo:8', rabbit: env['RABBITMQ_IMAGE'] ?? 'rabbitmq:4-management' }
}

async function startContainer({ name, image, port, hostPort, dataFolder }: Container): Promise<void> {
  const declared = await run('docker', [
    'image',
    'inspect',
    '--format',
    '{{range $folder, $_ := .Config.Volumes}}{{$folder}} {{end}}',
    image,
  ])
  const folders = declared.trim() === '' ? [dataFolder] : declared.trim().split(' ')
  const volumes = folders.flatMap((folder) => ['--volume', `${name}${folder.replaceAll('/', '-')}:${folder}`])
  // RabbitMQ names its data by the host name, so that must stay the same.
  const fixed = ['--name', name, '--hostname', name, '--publish', `127.0.0.1:${hostPort}:${port}`]
  await run('docker', ['run', '--detach', ...fixed, ...volumes, image])
}

async function removeContainer(name: string): Promise<void> {
  const options = { evenWhenStopping: true, timeoutMs: (STOP_WITHIN_SECONDS + 10) * 1000 }
  if (!(await succeeds('docker', ['container', 'inspect', name], options))) return
  await succeeds('docker', ['stop', '--time', String(STOP_WITHIN_SECONDS), name], options)
  await run('docker', ['rm', '--force', name], options)
}
