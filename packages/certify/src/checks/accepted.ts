/** Checks 1, 5 and 6: genuine webhooks are answered with 200. */
import type { Bench } from '../bench/bench.ts'
import type { PaidOrder } from '../bench/opening.ts'
import { acknowledged, type Answer } from '../judge.ts'
import { foreignSecret, genuine, unusual, withForeignSignatureFirst } from '../webhooks.ts'
import { fulfilledOnce, type Check, type Findings } from './check.ts'

export const ACCEPTED: readonly Check[] = [
  { check: 1, run: (bench) => accepts(bench, ({ paid }) => bench.sendGenuine(paid)) },
  {
    check: 5,
    run: (bench) =>
      accepts(bench, ({ paid }) =>
        bench.sendGenuine(unusual(paid), { note: 'unusual spacing, Hindi text, an additional field' }),
      ),
  },
  {
    check: 6,
    run: (bench) =>
      accepts(bench, async ({ paid }) => {
        const webhook = await withForeignSignatureFirst(await genuine(paid, bench.secret), foreignSecret())
        return bench.send(webhook, { note: 'the second of two signatures is valid' })
      }),
  },
]

/** The answer decides. With a probe, the effect is judged as well. */
async function accepts(bench: Bench, send: (order: PaidOrder) => Promise<Answer>): Promise<Findings> {
  const order = await bench.paidOrder()
  const verdicts = [acknowledged(await send(order))]
  return { verdicts, effects: bench.probe ? [fulfilledOnce(order.orderId)] : [] }
}
