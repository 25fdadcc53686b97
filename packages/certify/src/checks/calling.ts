/** Checks 16 and 17: how the test instance calls the gateway. */
import type { Bench } from '../bench/bench.ts'
import { notObserved, repeatedAsTheSame, waitedOut, warned, type Call, type Verdict } from '../judge.ts'
import { inTurn, tooMany, TOKEN_EXPIRED } from '../wire/faults.ts'
import { fulfilledOnce, type Check } from './check.ts'

const NO_PROBE = notObserved('There is no probe, so certify could not make the test instance create an order.')
const TRIES_AGAIN_AFTER_MS = 500
const MAX_ATTEMPTS = 4

export const CALLING: readonly Check[] = [
  {
    check: 16,
    name: 'lost_answer_is_repeated_as_the_same_order',
    title: 'The answer to create is lost: the same order_id is sent again',
    clause: 'The same order sent twice is one order',
    async run(bench) {
      const calls = await bench.createWithFaults(inTurn({ kind: 'drop_answer' }), TRIES_AGAIN_AFTER_MS)
      return { verdicts: [calls ? repeatedAsTheSame(calls) : NO_PROBE], effects: [] }
    },
  },
  {
    check: 17,
    name: 'refusals_are_waited_out',
    title: 'token_expired and 429: the shop makes a new token and sends no request before Retry-After',
    clause: 'Errors: 401 token_expired, 429 with Retry-After',
    async run(bench) {
      const { retryAfterSeconds } = bench.timing
      const refusals = inTurn(TOKEN_EXPIRED, tooMany(retryAfterSeconds))
      const created = await bench.createWithFaults(refusals, retryAfterSeconds * 1000 + TRIES_AGAIN_AFTER_MS)
      if (!created) return { verdicts: [NO_PROBE], effects: [] }
      const { orderId, paid } = await bench.paidOrder()
      bench.proxy.faults.onSearch(orderId, refusals)
      await deliverUntilAcknowledged(bench, paid)
      return {
        verdicts: [...waitedOut(created, 'create'), ...leniently(waitedOut(await searchesOf(bench, orderId), 'search'))],
        effects: [fulfilledOnce(orderId)],
      }
    },
  },
]

async function deliverUntilAcknowledged(bench: Bench, paid: Parameters<Bench['sendGenuine']>[0]): Promise<void> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const { status } = await bench.sendGenuine(paid, { attempt, note: `attempt ${attempt}` })
    if (status === 200) return
    await bench.pause(bench.timing.retryAfterSeconds * 1000 + TRIES_AGAIN_AFTER_MS)
  }
}

/** A receiver may acknowledge first and search afterwards. */
async function searchesOf(bench: Bench, orderId: string): Promise<readonly Call[]> {
  const endsAtMs = Date.now() + bench.timing.effectMs
  for (;;) {
    const calls = bench.proxy.calls.searches(orderId)
    if (bench.proxy.calls.confirmation(orderId) || Date.now() > endsAtMs) return calls
    await bench.pause(TRIES_AGAIN_AFTER_MS)
  }
}

/** Another part of the shop may search for the same order at this time, so an early search is only a warning. */
function leniently(verdicts: readonly Verdict[]): Verdict[] {
  return verdicts.map(({ result, reason }) => (result === 'fail' ? warned(reason) : { result, reason }))
}
