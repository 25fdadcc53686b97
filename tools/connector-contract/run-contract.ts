import type { Bench, Check, Instruments } from './check.ts'
import { accessChecks } from './checks/access.ts'
import { callbackChecks } from './checks/callbacks.ts'
import { enquiryChecks } from './checks/enquiries.ts'
import { reversalChecks } from './checks/reversals.ts'
import { startChecks } from './checks/starts.ts'

export { startCallbackReceiver } from './callback-receiver.ts'
export { connectTo } from './connector.ts'
export type { Bench } from './check.ts'

export interface CheckResult {
  readonly name: string
  /** What the connector did instead; `undefined` when it keeps the rule. */
  readonly breach: string | undefined
}

const CHECKS: readonly Check[] = [...accessChecks, ...startChecks, ...enquiryChecks, ...reversalChecks, ...callbackChecks]

/** Instruments from a connector's test VPA, card number and bank; by default those that succeed at the simulator. */
export function instruments({ vpa = 'success@sandbox', card = '4242424242424242', bank = 'PASS' } = {}): Instruments {
  return {
    upi: { upi: { vpa } },
    credit_card: { card: { number: card, expiry_month: '12', expiry_year: '2035', cvv: '123', name: 'Contract Check' } },
    netbanking: { netbanking: { bank } },
  }
}

/** Runs every check of the network contract (contracts, network.ts), one after the other. A failed check does not stop the run. */
export async function runContract(bench: Bench, onResult?: (result: CheckResult) => void): Promise<CheckResult[]> {
  const results: CheckResult[] = []
  for (const check of CHECKS) {
    const breach = await check.run(bench).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    )
    const result = { name: check.name, breach }
    onResult?.(result)
    results.push(result)
  }
  return results
}
