import { downtimes, NETWORK_DOWNTIMES_PATH, type Downtime } from '@gateway/contracts'
import type { ServiceClient } from '../http-client/service-client.ts'
import type { ConnectorCapabilities } from './capabilities.ts'

/** The downtimes that the network's connector lists; none when it has no such list. Rejects with `Unavailable` when it is away. */
export type FindDowntimes = () => Promise<readonly Downtime[]>

/** An answer is used for `keptMs`, and concurrent callers share one request. A failure is not kept. */
export function createFindDowntimes(
  client: Pick<ServiceClient, 'get' | 'unavailable'>,
  { capabilities, keptMs, now }: { capabilities: Pick<ConnectorCapabilities, 'find'>; keptMs: number; now: () => Date },
): FindDowntimes {
  let known: { readonly answer: readonly Downtime[]; readonly untilMs: number } | undefined
  let asking: Promise<readonly Downtime[]> | undefined

  async function ask(): Promise<readonly Downtime[]> {
    if (!(await capabilities.find()).downtimes) return []
    const { status, data } = await client.get(NETWORK_DOWNTIMES_PATH)
    if (status === 200 && downtimes(data)) return data
    throw client.unavailable(`status ${status}`)
  }

  async function refresh(): Promise<readonly Downtime[]> {
    const answer = await ask()
    known = { answer, untilMs: now().getTime() + keptMs }
    return answer
  }

  return () => {
    if (known && now().getTime() < known.untilMs) return Promise.resolve(known.answer)
    asking ??= refresh().finally(() => (asking = undefined))
    return asking
  }
}
