import { capabilities, type Capabilities } from '@gateway/contracts'
import type { Bench, Check, Instruments, UpiOptions } from './check.ts'
import { callbackChecks } from './checks/callbacks.ts'
import { capabilityChecks, downtimeChecks, intentChecks } from './checks/capabilities.ts'
import { enquiryChecks } from './checks/enquiries.ts'
import { partialRefundChecks, refundChecks } from './checks/refunds.ts'
import { reversalChecks } from './checks/reversals.ts'
import { accessChecks, noCollectChecks, startChecks } from './checks/starts.ts'
import type { Connector } from './connector.ts'
import { startable } from './steps.ts'

export { startCallbackReceiver } from './callback-receiver.ts'
export { connectTo } from './connector.ts'
export type { Bench } from './check.ts'

export interface CheckResult {
  readonly name: string
  /** What the connector did instead; `undefined` when it keeps the rule. */
  readonly breach: string | undefined
}

/** Instruments from a connector's test VPAs, card number and bank; by default those of the simulator. */
export function instruments({
  vpa = 'success@sandbox',
  declinedVpa = 'failure@sandbox',
  card = '4242424242424242',
  bank = 'PASS',
} = {}): Instruments {
  return {
    upi: { upi: { vpa } },
    credit_card: { card: { number: card, expiry_month: '12', expiry_year: '2035', cvv: '123', name: 'Contract Check' } },
    netbanking: { netbanking: { bank } },
    declined: { upi: { vpa: declinedVpa } },
  }
}

/** What a connector says that it can do. What is wrong with its answer, the check of capabilities says. */
async function capabilitiesOf(connector: Connector): Promise<Capabilities> {
  const { body } = await connector.capabilities()
  return capabilities(body) ? body : { contract: 1, upi_collect: true }
}

function checksFor({ refunds, downtimes }: Capabilities, upi: UpiOptions): readonly Check[] {
  return [
    ...accessChecks,
    ...startChecks(startable({ upi })),
    ...enquiryChecks,
    ...reversalChecks,
    ...callbackChecks,
    ...capabilityChecks,
    ...(upi.collect ? [] : noCollectChecks),
    ...(upi.intents ? intentChecks : []),
    ...(downtimes ? downtimeChecks : []),
    ...(refunds ? refundChecks : []),
    ...(refunds?.partial ? partialRefundChecks : []),
  ]
}

/**
 * Runs every check of the network contract (contracts, network.ts and network-refunds.ts), one after the other. A failed check does
 * not stop the run. `part` selects the checks whose name contains it.
 */
export async function runContract(
  parts: Omit<Bench, 'upi'>,
  onResult?: (result: CheckResult) => void,
  part = '',
): Promise<CheckResult[]> {
  const results: CheckResult[] = []
  const known = await capabilitiesOf(parts.connector)
  const bench: Bench = { ...parts, upi: { collect: known.upi_collect ?? false, intents: known.intents ?? false } }
  const checks = checksFor(known, bench.upi).filter(({ name }) => name.includes(part))
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
