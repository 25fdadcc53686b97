/** Check 18: no webhook arrives at all. */
import { failed, notObserved, passed } from '../verdict.ts'
import { fulfilledOnce, type Check } from './check.ts'

const POLL_MS = 200

export const WITHHELD: Check = {
  check: 18,
  isLong: true,
  async run(bench) {
    if (!bench.probe)
      return { verdicts: [notObserved('There is no probe, so the test instance created no order to search for.')], effects: [] }
    const { withheldSeconds, reconcileMs } = bench.timing
    const { orderId, expiresAtMs } = await bench.openOrder({ expires_in: withheldSeconds })
    await bench.pay(orderId, 'success')
    await bench.eventsUntil(orderId, 'Success')
    const isFound = (): boolean => bench.proxy.calls.confirmation(orderId) !== undefined
    while (!isFound() && Date.now() < expiresAtMs + reconcileMs) await bench.pause(POLL_MS)
    const within = `within ${reconcileMs / 1000} s of its expiry`
    const verdicts = [
      isFound() ? passed : failed(`${orderId} was paid, no webhook was sent, and the test instance sent no search ${within}.`),
    ]
    return { verdicts, effects: [fulfilledOnce(orderId)] }
  },
}
