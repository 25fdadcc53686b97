/** Check 13: payments that do not succeed. */
import type { Bench } from '../bench/bench.ts'
import type { Expectation } from '../judge.ts'
import { claimed } from '../webhooks.ts'
import type { OrderChanges } from '../wire/rewrite-create.ts'
import { notFulfilled, type Check } from './check.ts'

export const UNPAID: Check = {
  check: 13,
  isLong: true,
  async run(bench) {
    const soon = async () => [await failedOrder(bench, 'failure'), await failedOrder(bench, 'amount_mismatch')]
    const late = failedOrder(bench, 'late_success', { expires_in: bench.timing.lateSeconds })
    return { verdicts: [], effects: (await Promise.all([late, soon()])).flat() }
  },
}

type Failure = 'failure' | 'amount_mismatch' | 'late_success'

/**
 * Sends the genuine event, then a signed one that says Success: only a search shows that the second is wrong. The order allows one
 * attempt, so that a declined payment ends it.
 */
async function failedOrder(bench: Bench, outcome: Failure, changes: OrderChanges = {}): Promise<Expectation> {
  const { orderId } = await bench.openOrder({ ...changes, max_attempts: 1 })
  await bench.pay(orderId, outcome)
  const failed = (await bench.eventsUntil(orderId, 'Failed')).at(-1)
  if (failed) {
    await bench.sendGenuine(failed, { note: outcome })
    const success = claimed(failed, 'Success', failed.sequence + 1)
    await bench.sendGenuine(success, { note: `${outcome}: signed, says Success, but search returns Failed` })
  }
  return notFulfilled(orderId)
}
