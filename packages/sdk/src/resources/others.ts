/** Downtimes, and what only the sandbox has. */
import { OPERATIONS } from '../generated/operations.ts'
import type { Downtime, SimulateOptions, Simulation } from '../generated/types.ts'
import type { Transport } from '../http/transport.ts'
import { dataOf } from './answers.ts'

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
    list: async () => (await dataOf<{ readonly downtimes: Downtime[] }>(send, OPERATIONS.listDowntimes)).downtimes,
  }
}

/** What only the sandbox has. */
export interface Sandbox {
  /**
   * Makes the simulated bank pay, decline or hang. The outcome reaches you like that of a real payment.
   *
   * @example await gateway.sandbox.simulate({ order_id: 'ORD-1001', outcome: 'success' })
   */
  simulate(options: SimulateOptions): Promise<Simulation>
}

export function createSandbox(send: Transport): Sandbox {
  return { simulate: (options) => dataOf(send, OPERATIONS.simulate, { body: options }) }
}
