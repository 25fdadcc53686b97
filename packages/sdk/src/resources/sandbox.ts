import { OPERATIONS } from '../generated/operations.ts'
import type { Transport } from '../http/transport.ts'
import type { SimulateOptions, Simulation } from '../generated/types.ts'

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
  return {
    simulate: async (options) => ((await send(OPERATIONS.simulate, { body: options })).body as { data: Simulation }).data,
  }
}
