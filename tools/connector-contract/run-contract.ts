import type { Bench, Check } from './check.ts'
import { accessChecks } from './checks/access.ts'
import { callbackChecks } from './checks/callbacks.ts'
import { enquiryChecks } from './checks/enquiries.ts'
import { reversalChecks } from './checks/reversals.ts'
import { startChecks } from './checks/starts.ts'

export { startCallbackReceiver } from './callback-receiver.ts'
export { connectTo } from './connector.ts'
export { SIMULATOR_INSTRUMENTS } from './instruments.ts'
export type { Bench } from './check.ts'

export interface CheckResult {
  readonly name: string
  /** What the connector did instead; `undefined` when it keeps the rule. */
  readonly breach: string | undefined
}

const CHECKS: readonly Check[] = [...accessChecks, ...startChecks, ...enquiryChecks, ...reversalChecks, ...callbackChecks]

/** Runs every check of the network contract (contracts, network.ts), one after the other, and never stops at a failure. */
export async function runContract(
  bench: Bench,
  onResult: (result: CheckResult) => void = () => undefined,
): Promise<CheckResult[]> {
  const results: CheckResult[] = []
  for (const check of CHECKS) {
    const breach = await check.run(bench).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    )
    const result = { name: check.name, breach }
    onResult(result)
    results.push(result)
  }
  return results
}
