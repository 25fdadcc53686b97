/** Checks 7 to 13 and 18: what the shop does with an order when webhooks are repeated, wrong, early or missing. */
import type { Bench } from '../bench/bench.ts'
import { failed, notObserved, passed, searchedFirst, warned, type Expectation } from '../judge.ts'
import { claimed, genuine } from '../webhooks.ts'
import { UNAVAILABLE, type OrderChanges } from '../wire/faults.ts'
import type { SandboxEvent } from '../wire/inbox.ts'
import { fulfilledOnce, notFulfilled, type Check } from './check.ts'

const AT_ONCE = 5
/** Delays searches, so that the receiver handles the five webhooks at the same time. */
const SEARCH_TAKES_MS = 300
const UNTIL_SUCCESS_MS = 1000
const POLL_MS = 150
const MAX_ATTEMPTS = 4

export const EFFECTS: readonly Check[] = [
  {
    check: 7,
    name: 'repeated_webhook_has_one_effect',
    title: 'The same webhook twice: the order is fulfilled once',
    clause: 'Webhooks, What comes: deduplicate by webhook-id',
    async run(bench) {
      const { orderId, paid } = await bench.paidOrder()
      await bench.sendGenuine(paid)
      const { status } = await bench.sendGenuine(paid, { attempt: 2, note: 'the same webhook again' })
      const known =
        status === 200
          ? []
          : [warned(`A webhook that was handled before got ${status ?? 'no answer'}: the gateway would send it again.`)]
      return { verdicts: known, effects: [fulfilledOnce(orderId)] }
    },
  },
  {
    check: 8,
    name: 'simultaneous_webhooks_have_one_effect',
    title: 'The same webhook five times at once: the order is fulfilled once',
    clause: 'Webhooks, What comes: deduplicate by webhook-id',
    async run(bench) {
      const { orderId, paid } = await bench.paidOrder()
      bench.proxy.faults.onSearch(orderId, () => ({ kind: 'pass', holdMs: SEARCH_TAKES_MS }))
      const webhook = await genuine(paid, bench.secret)
      const answers = await bench.sendTogether(Array.from({ length: AT_ONCE }, () => webhook))
      // The receiver may refuse a copy while it handles another one; the gateway would send it again.
      if (!answers.some(({ status }) => status === 200)) await bench.sendGenuine(paid, { attempt: 2, note: 'sent again' })
      return { verdicts: [], effects: [fulfilledOnce(orderId)] }
    },
  },
  {
    check: 9,
    name: 'late_arrivals_change_nothing',
    title: 'Webhooks arrive in the order of sequence 3, 2, 1: the order stays paid',
    clause: 'Webhooks, What comes: ignore a lower webhook-sequence',
    async run(bench) {
      const { orderId } = await bench.openOrder()
      await bench.pay(orderId, 'success', { delay_ms: UNTIL_SUCCESS_MS })
      const events = await bench.eventsUntil(orderId, 'Success')
      for (const event of events.toReversed()) await bench.sendGenuine(event, { note: `sequence ${event.sequence}` })
      return { verdicts: [], effects: [fulfilledOnce(orderId)] }
    },
  },
  {
    check: 10,
    name: 'unpaid_is_not_fulfilled',
    title: 'A signed Success arrives while search returns Initiate: the order is not fulfilled',
    clause: 'Confirm every webhook by search before you release goods',
    async run(bench) {
      const { orderId, initiated } = await bench.openOrder()
      await bench.sendGenuine(claimed(initiated, 'Success', 2), { note: 'signed, but the order is not paid' })
      return { verdicts: [], effects: [notFulfilled(orderId)] }
    },
  },
  {
    check: 11,
    name: 'search_comes_before_fulfilment',
    title: 'The order is fulfilled after the search has confirmed it, not before',
    clause: 'Confirm every webhook by search before you release goods',
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
    name: 'outage_of_search_loses_nothing',
    title: 'Search answers 503, then works again: the order is fulfilled once',
    clause: 'Webhooks, Acknowledge: store the webhook before you answer 200',
    async run(bench) {
      const { orderId, paid } = await bench.paidOrder()
      await deliverDuringOutage(bench, orderId, paid)
      return { verdicts: [], effects: [fulfilledOnce(orderId)] }
    },
  },
  {
    check: 13,
    name: 'failed_is_not_fulfilled',
    title: 'A payment fails, one has a wrong amount and one comes too late: none of the orders is fulfilled',
    clause: 'Confirm every webhook by search: only Success is paid',
    isLong: true,
    async run(bench) {
      const soon = async () => [await failedOrder(bench, 'failure'), await failedOrder(bench, 'amount_mismatch')]
      const late = failedOrder(bench, 'late_success', { expires_in: bench.timing.lateSeconds })
      return { verdicts: [], effects: (await Promise.all([late, soon()])).flat() }
    },
  },
  {
    check: 18,
    name: 'lost_webhooks_are_made_up_by_search',
    title: 'No webhook arrives: the shop searches for the order when it expires, and fulfils it once',
    clause: 'Search is the truth about a payment; a webhook only makes the shop search sooner',
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
  },
]

/** When the probe first showed that the order is fulfilled. */
async function untilFulfilled(bench: Bench, orderId: string): Promise<number | undefined> {
  const endsAtMs = Date.now() + bench.timing.effectMs
  while (bench.probe && Date.now() < endsAtMs) {
    const { fulfilled } = await bench.probe.effectOn(orderId)
    if (fulfilled > 0) return Date.now()
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
