/** Checks 14 and 15: test events, and requests that are not webhooks. */
import { acknowledged, alive, refused } from '../judge.ts'
import type { Verdict } from '../verdict.ts'
import { testEvent } from '../webhooks.ts'
import { notFulfilled, type Check } from './check.ts'

const MEBIBYTE = 1024 * 1024
const JSON_HEADERS = { 'content-type': 'application/json' }

const JUNK = [
  { what: 'an empty body', headers: JSON_HEADERS, body: '' },
  { what: 'an empty object', headers: JSON_HEADERS, body: '{}' },
  { what: 'incomplete JSON', headers: JSON_HEADERS, body: '{"txnid": "T1", "status": ' },
  { what: 'control characters', headers: { 'content-type': 'text/plain' }, body: '\u0000\u0001<junk>\u0007' },
]

export const UNEXPECTED: readonly Check[] = [
  {
    check: 14,
    async run(bench) {
      const { orderId, ...event } = await testEvent(bench.secret)
      const verdicts = [acknowledged(await bench.send(event, { note: 'a test event' }))]
      return { verdicts, effects: [notFulfilled(orderId)] }
    },
  },
  {
    check: 15,
    async run(bench) {
      const { initiated } = await bench.openOrder()
      const verdicts: Verdict[] = [alive(await bench.send({ headers: {}, body: '' }, { method: 'GET', note: 'GET' }), 'GET')]
      for (const { what, ...webhook } of JUNK) verdicts.push(refused(await bench.send(webhook, { note: what }), what))
      const long = { headers: JSON_HEADERS, body: JSON.stringify({ junk: 'x'.repeat(MEBIBYTE) }) }
      // The receiver may close the connection instead of answering; only 410 is wrong.
      const { status } = await bench.send(long, { note: 'one mebibyte' })
      if (status !== null) verdicts.push(refused({ status, error: null, durationMs: 0 }, 'one mebibyte'))
      verdicts.push(
        alive(
          await bench.sendGenuine(initiated, { note: 'a genuine webhook after the junk' }),
          'a genuine webhook after the junk',
        ),
      )
      return { verdicts, effects: [] }
    },
  },
]
