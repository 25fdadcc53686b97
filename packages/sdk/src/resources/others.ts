/** Downtimes, and what only the sandbox has. */
import { OPERATIONS } from '../generated/operations.ts'
import type { Downtime, SimulateOptions, Simulation } from '../generated/types.ts'
import type { Transport } from '../http/transport.ts'
import { dataOf } from './answers.ts'

/** What does not work at the banks and networks. */
export type Downtimes = ReturnType<typeof createDowntimes>

export function createDowntimes(send: Transport) {
  return {
    /** What is down now, and what is announced. Throws `ApiError` with the code `network_unavailable` while the network cannot be asked. */
    list: async (): Promise<Downtime[]> =>
      (await dataOf<{ readonly downtimes: Downtime[] }>(send, OPERATIONS.listDowntimes)).downtimes,
  }
}

/** What only the sandbox has. */
export type Sandbox = ReturnType<typeof createSandbox>

export function createSandbox(send: Transport) {
  return {
    /** Makes the simulated bank pay, decline or hang. The outcome reaches you like that of a real payment. */
    simulate: (options: SimulateOptions): Promise<Simulation> => dataOf(send, OPERATIONS.simulate, { body: options }),
  }
}
