/** Chooses database and broker: given ones, else containers, else native processes. */
import { UserError } from '@gateway-infra/system/user-error'
import { firstAmqp, pingMongo, type Backing, type BackingOptions } from '@gateway-infra/offline/backing/backing'
import { dockerIsImpossible } from '@gateway-infra/system/run'
import { imagesAreMissing, startDocker } from './docker.ts'
import { startNative } from '@gateway-infra/offline/backing/native'
import { nativeIsImpossible } from '@gateway-infra/offline/backing/rootfs'

/** Runs `work` with database and broker, and stops afterwards what was started for it. */
export async function withBacking<T>(options: BackingOptions, work: (backing: Backing) => Promise<T>): Promise<T> {
  const backing = await startBacking(options)
  try {
    return await work(backing)
  } finally {
    await options.progress.during('stopping the backing services', async () => backing.stop())
  }
}

/** Resolves when database and broker answer. Throws a `UserError` that explains all three choices when none is possible. */
export async function startBacking(options: BackingOptions): Promise<Backing> {
  const { MONGO_URL: mongoUrl, AMQP_URL: amqpUrl, TEST_BACKEND: backend = '' } = options.env
  if (backend !== '' && backend !== 'containers') throw new UserError(`TEST_BACKEND is "${backend}"; it can only be "containers"`)
  if (mongoUrl && amqpUrl) return chosen(options, 'MONGO_URL and AMQP_URL are set', await useGiven(mongoUrl, amqpUrl))
  if (mongoUrl || amqpUrl) throw new UserError('Only one of MONGO_URL and AMQP_URL is set; set both or neither.')

  const noDocker = (await dockerIsImpossible()) ?? (await imagesAreMissing(options))
  if (noDocker === undefined) return chosen(options, 'a Docker engine works and has the images', await startDocker(options))

  if (backend !== '') throw new UserError(`TEST_BACKEND is containers, but ${noDocker}.`)

  const noNative = await nativeIsImpossible()
  if (noNative === undefined) return chosen(options, `${noDocker}; Debian packages can be used`, await startNative(options))
  throw new UserError(
    [
      'A database and a broker are needed. There are three ways:',
      '  1. Run your own, and set MONGO_URL and AMQP_URL (they are not set).',
      `  2. Start Docker (${noDocker}).`,
      `  3. Run as root on Debian, where they are built from packages (${noNative}).`,
    ].join('\n'),
  )
}

function chosen(options: BackingOptions, reason: string, backing: Omit<Backing, 'reason'>): Backing {
  options.progress.log(`backing services: ${backing.kind} (${reason})`)
  return { ...backing, reason }
}

/** Given servers: checked, never started or stopped by us. */
async function useGiven(mongoUrl: string, amqpUrl: string): Promise<Omit<Backing, 'reason'>> {
  const answers = await Promise.allSettled([pingMongo(mongoUrl), firstAmqp(amqpUrl)])
  const silent = ['MONGO_URL', 'AMQP_URL'].flatMap((name, index) => {
    const answer = answers[index]
    return answer?.status === 'rejected' ? [`${name} is set, but the server does not answer: ${describe(answer.reason)}`] : []
  })
  if (silent.length > 0) throw new UserError(silent.join('\n'))

  return { kind: 'given', mongoUrl, amqpUrl, stop: async () => Promise.resolve() }
}

/** Node reports a refused connection on several addresses as an error without a message. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.message !== ''
    ? error.message
    : error instanceof AggregateError
      ? error.errors.map(describe).join(', ')
      : error.name
}
