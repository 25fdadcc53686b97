import type { Backing } from '@gateway-infra/offline/backing/backing'
import { UserError } from '@gateway-infra/system/user-error'
import { firstAmqp, pingMongo } from '@gateway-infra/offline/backing/reachable'

/** Given servers: checked, never started or stopped by us. */
export async function useGiven(mongoUrl: string, amqpUrl: string): Promise<Omit<Backing, 'reason'>> {
  const answers = await Promise.allSettled([pingMongo(mongoUrl), firstAmqp(amqpUrl)])
  const silent = ['MONGO_URL', 'AMQP_URL'].flatMap((name, index) => {
    const answer = answers[index]
    return answer?.status === 'rejected' ? [`${name} is set, but the server does not answer: ${describe(answer.reason)}`] : []
  })
  if (silent.length > 0) throw new UserError(silent.join('\n'))

  const { promise: failed } = Promise.withResolvers<string>()
  return { kind: 'given', mongoUrl, amqpUrl, pids: {}, failed, stop: async () => Promise.resolve() }
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
