import { openEventStream } from '@gateway/testkit'
import { makeToken } from '@gateway/testkit/merchants'
import { byTurns } from '@gateway-tools/load/by-turns'
import { untilSettled } from '@gateway-tools/load/receiver'
import { eventIds, type Bench } from './stack.ts'

const CALLERS = 16
const SETTLED_WITHIN_MS = 60_000
/** The number of sessions that one credential may open. */
const SESSIONS_EACH = 2
const LISTENING_MERCHANTS = 5

/** The ratio of creates per second with ten open sessions of `pgw listen` to those without, measured alternately. */
export function benchListeners(bench: Bench, durationMs: number) {
  return byTurns(
    () => createsPerSecond(bench, durationMs),
    () => openSessions(bench),
  )
}

async function createsPerSecond({ load, receiver }: Bench, durationMs: number): Promise<number> {
  await receiver.call('take')
  const { transactionIds, tookMs } = await load.call('callers', 'create', { concurrency: CALLERS, durationMs })
  await untilSettled(receiver, eventIds(transactionIds, 1), SETTLED_WITHIN_MS)
  return (transactionIds.length * 1000) / tookMs
}

/** Opens every session and returns a function that closes them. */
async function openSessions({ stack: { base_url: baseUrl }, merchants }: Bench): Promise<() => void> {
  const credentials = merchants
    .slice(0, LISTENING_MERCHANTS)
    .flatMap((merchant) => Array<typeof merchant>(SESSIONS_EACH).fill(merchant))
  const streams = await Promise.all(
    credentials.map(async (merchant) => {
      const authorization = `Bearer ${await makeToken(merchant)}`
      const stream = await openEventStream(`${baseUrl}/api/v1/webhooks/listen`, { authorization })
      if (stream.response.status !== 200) throw new Error(`a session was refused: ${stream.response.status}`)
      return stream
    }),
  )
  return () => {
    for (const stream of streams) stream.close()
  }
}
