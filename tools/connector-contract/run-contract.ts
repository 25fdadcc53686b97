import { capabilities, type Capabilities } from '@gateway/contracts'
import type { Bench, Check, Instruments } from './check.ts'
import { accessChecks } from './checks/access.ts'
import { callbackChecks } from './checks/callbacks.ts'
import { enquiryChecks } from './checks/enquiries.ts'
import { capabilityChecks, partialRefundChecks, refundChecks } from './checks/refunds.ts'
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

/** The checks of version 2 for the connector's capabilities; none for a connector of version 1. */
async function checksOfVersion2({ connector }: Bench): Promise<readonly Check[]> {
  const { status, body } = await connector.capabilities()
  if (status === 404) return []
  const { refunds }: Capabilities = capabilities(body) ? body : { contract: 2 }
  return [...capabilityChecks, ...(refunds ? refundChecks : []), ...(refunds?.partial ? partialRefundChecks : [])]
}

/**
 * Runs every check of the network contract (contracts, network.ts and network-refunds.ts), one after the other. A failed check does
 * not stop the run. `part` selects the checks whose name contains it.
 */
export async function runContract(bench: Bench, onResult?: (result: CheckResult) => void, part = ''): Promise<CheckResult[]> {
  const results: CheckResult[] = []
  const checks = [...CHECKS, ...(await checksOfVersion2(bench))].filter(({ name }) => name.includes(part))
  for (const check of checks) {
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
