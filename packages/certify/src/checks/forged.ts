/** Checks 2, 3 and 4: webhooks that are not genuine are refused, and have no effect on an order that is still open. */
import type { Bench } from '../bench/bench.ts'
import { refused } from '../judge.ts'
import type { Verdict } from '../verdict.ts'
import { changedBodies, claimed, foreignSecret, genuine, unsigned, type Webhook } from '../webhooks.ts'
import type { SandboxEvent } from '../wire/inbox.ts'
import { notFulfilled, type Check } from './check.ts'

const SIX_MINUTES_MS = 6 * 60_000

interface Forgery {
  readonly what: string
  readonly webhook: Webhook
}

export const FORGED: readonly Check[] = [
  forgery(2, async (event, secret) => [
    { what: 'without a signature', webhook: unsigned(await genuine(event, secret)) },
    { what: 'signed with another secret', webhook: await genuine(event, foreignSecret()) },
  ]),
  forgery(3, async (event, secret) => {
    const [digit, space] = changedBodies(await genuine(event, secret))
    return [
      ...(digit ? [{ what: 'with another amount', webhook: digit }] : []),
      ...(space ? [{ what: 'with a space at the end', webhook: space }] : []),
    ]
  }),
  forgery(4, async (event, secret) => [
    { what: 'six minutes old', webhook: await genuine(event, secret, { at: new Date(Date.now() - SIX_MINUTES_MS) }) },
    { what: 'six minutes early', webhook: await genuine(event, secret, { at: new Date(Date.now() + SIX_MINUTES_MS) }) },
  ]),
]

function forgery(check: 2 | 3 | 4, forge: (event: SandboxEvent, secret: string) => Promise<readonly Forgery[]>): Check {
  return {
    check,
    async run(bench) {
      const { orderId, initiated } = await bench.openOrder()
      const verdicts: Verdict[] = []
      // A receiver that searches but does not verify answers 500 to a forged Success; its 200 to a forged Pending shows the mistake.
      for (const status of ['Pending', 'Success'])
        for (const { what, webhook } of await forge(claimed(initiated, status, 2), bench.secret))
          verdicts.push(await sendForged(bench, webhook, `${status} ${what}`))
      return { verdicts, effects: [notFulfilled(orderId)] }
    },
  }
}

async function sendForged(bench: Bench, webhook: Webhook, what: string): Promise<Verdict> {
  return refused(await bench.send(webhook, { note: what }), what)
}
