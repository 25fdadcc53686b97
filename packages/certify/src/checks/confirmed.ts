/** Checks 10, 11 and 12: the search decides, not the webhook. */
import type { Bench } from '../bench/bench.ts'
import { searchedFirst } from '../judge.ts'
import { claimed } from '../webhooks.ts'
import { UNAVAILABLE } from '../wire/faults.ts'
import type { SandboxEvent } from '../wire/inbox.ts'
import { fulfilledOnce, notFulfilled, type Check } from './check.ts'

const POLL_MS = 150
const MAX_ATTEMPTS = 4

export const CONFIRMED: readonly Check[] = [
  {
    check: 10,
    async run(bench) {
      const { orderId, initiated } = await bench.openOrder()
      await bench.sendGenuine(claimed(initiated, 'Success', 2), { note: 'signed, but the order is not paid' })
      return { verdicts: [], effects: [notFulfilled(orderId)] }
    },
  },
  {
    check: 11,
    async run(bench) {
      const { orderId, paid } = await bench.paidOrder()
      bench.proxy.faults.onSearch(orderId, () => ({ kind: 'pass', holdMs: bench.timing.holdMs }))
      const [fulfilledAtMs] = await Promise.all([untilFulfilled(bench, orderId), bench.sendGenuine(paid)])
      const confirmed = bench.proxy.calls.confirmation(orderId)
      return { verdicts: [searchedFirst(confirmed?.endedAtMs, fulfilledAtMs)], effects: [fulfilledOnce(orderId)] }
    },
  },
  {
    check: 12,
    async run(bench) {
      const { orderId, paid } = await bench.paidOrder()
      await deliverDuringOutage(bench, orderId, paid)
      return { verdicts: [], effects: [fulfilledOnce(orderId)] }
    },
  },
]

/** When the probe first showed that the order is fulfilled. */
async function untilFulfilled(bench: Bench, orderId: string): Promise<number | undefined> {
  const endsAtMs = Date.now() + bench.timing.effectMs
  while (bench.probe && Date.now() < endsAtMs) {
    const effect = await bench.effectOn(orderId)
    if (effect && effect.fulfilled > 0) return Date.now()
    await bench.pause(POLL_MS)
  }
  return undefined
}

/** Sends the webhook again until it is acknowledged, as the gateway would, but after seconds instead of minutes. */
async function deliverDuringOutage(bench: Bench, orderId: string, paid: SandboxEvent): Promise<void> {
  const { outageMs } = bench.timing
  let beganAtMs: number | undefined
  const isOver = (): boolean => beganAtMs !== undefined && Date.now() - beganAtMs >= outageMs
  bench.proxy.faults.onSearch(orderId, () => {
    beganAtMs ??= Date.now()
    return isOver() ? { kind: 'pass' } : UNAVAILABLE
  })
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const { status } = await bench.sendGenuine(paid, { attempt, note: `attempt ${attempt}` })
    if (status === 200) return
    await bench.pause(beganAtMs === undefined ? outageMs : Math.max(POLL_MS, beganAtMs + outageMs - Date.now()))
  }
}
