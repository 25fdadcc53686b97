import { downtimes, holdsCardNumber, NETWORK_DOWNTIMES_PATH, type Downtime } from '@gateway/contracts'
import type { ServiceClient } from '../http-client/service-client.ts'
import { keepAnswer } from '../scheduling/kept-answer.ts'
import type { ConnectorCapabilities } from './capabilities.ts'

/** The downtimes that the network's connector lists; none when it has no such list. Rejects with `Unavailable` when it is away. */
export type FindDowntimes = () => Promise<readonly Downtime[]>

/** An answer is used for `keptMs`, and concurrent callers share one request. A failure is not kept. */
export function createFindDowntimes(
  client: Pick<ServiceClient, 'get' | 'unavailable'>,
  { capabilities, keptMs, now }: { capabilities: Pick<ConnectorCapabilities, 'find'>; keptMs: number; now: () => Date },
): FindDowntimes {
  async function ask(): Promise<readonly Downtime[]> {
    if (!(await capabilities.find()).downtimes) return []
    const { status, data } = await client.get(NETWORK_DOWNTIMES_PATH)
    if (status === 200 && downtimes(data)) return data.filter(namesNoCard)
    throw client.unavailable(`status ${status}`)
  }

  return keepAnswer(ask, { keptMs: () => keptMs, now })
}

/** Pages and merchants see the name of an instrument. Without its name a downtime would stand for the whole method. */
function namesNoCard({ instrument }: Downtime): boolean {
  return !holdsCardNumber(instrument ?? '')
}
