/** Checks 7, 8 and 9: repeated, simultaneous and late webhooks. */
import { warned } from '../verdict.ts'
import { genuine } from '../webhooks.ts'
import { fulfilledOnce, type Check } from './check.ts'

const AT_ONCE = 5
/** Delays searches, so that the receiver handles the five webhooks at the same time. */
const SEARCH_TAKES_MS = 300
const UNTIL_SUCCESS_MS = 1000

export const ONCE: readonly Check[] = [
  {
    check: 7,
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
    async run(bench) {
      const { orderId } = await bench.openOrder()
      await bench.pay(orderId, 'success', { delay_ms: UNTIL_SUCCESS_MS })
      const events = await bench.eventsUntil(orderId, 'Success')
      for (const event of events.toReversed()) await bench.sendGenuine(event, { note: `sequence ${event.sequence}` })
      return { verdicts: [], effects: [fulfilledOnce(orderId)] }
    },
  },
]
