import { OPERATIONS } from '../generated/operations.ts'
import type { Transport } from '../http/transport.ts'
import type { Downtime } from '../generated/types.ts'

/** What does not work at the banks and networks. */
export interface Downtimes {
  /**
   * What is down now, and what is announced. Throws `ApiError` with the code `network_unavailable` while the network cannot be asked.
   *
   * @example for (const { method, instrument, severity } of await gateway.downtimes.list()) console.log(method, instrument, severity)
   */
  list(): Promise<Downtime[]>
}

export function createDowntimes(send: Transport): Downtimes {
  return {
    list: async () => {
      const { body } = await send(OPERATIONS.listDowntimes, {})
      return (body as { data: { downtimes: Downtime[] } }).data.downtimes
    },
  }
}
