/** Checks 1 to 6, 14 and 15: what the receiver answers to genuine and forged webhooks, and to requests that are no webhooks. */
import type { Bench } from '../bench/bench.ts'
import type { PaidOrder } from '../bench/opening.ts'
import { acknowledged, alive, refused, type Answer, type Verdict } from '../judge.ts'
import {
  changedBodies,
  claimed,
  foreignSecret,
  genuine,
  testEvent,
  unsigned,
  unusual,
  withForeignSignatureFirst,
  type Webhook,
} from '../webhooks.ts'
import type { SandboxEvent } from '../wire/inbox.ts'
import { fulfilledOnce, notFulfilled, type Check, type Findings } from './check.ts'

const SIX_MINUTES_MS = 6 * 60_000
const MEBIBYTE = 1024 * 1024
const JSON_HEADERS = { 'content-type': 'application/json' }

const JUNK = [
  { what: 'an empty body', headers: JSON_HEADERS, body: '' },
  { what: 'an empty object', headers: JSON_HEADERS, body: '{}' },
  { what: 'incomplete JSON', headers: JSON_HEADERS, body: '{"txnid": "T1", "status": ' },
  { what: 'control characters', headers: { 'content-type': 'text/plain' }, body: '\u0000\u0001<junk>\u0007' },
]

export const ANSWERS: readonly Check[] = [
  {
    check: 1,
    name: 'paid_is_acknowledged',
    title: 'A genuine webhook of a paid order is answered with 200 within ten seconds',
    clause: 'Webhooks, Acknowledge: answer 200 within ten seconds',
    run: (bench) => accepts(bench, ({ paid }) => bench.sendGenuine(paid)),
  },
  {
    check: 2,
    name: 'forged_is_refused',
    title: 'A webhook without a signature, or signed with another secret, is refused and has no effect',
    clause: 'Webhooks, Verify, before anything else',
    run: forging(async (event, secret) => [
      { what: 'without a signature', webhook: unsigned(await genuine(event, secret)) },
      { what: 'signed with another secret', webhook: await genuine(event, foreignSecret()) },
    ]),
  },
  {
    check: 3,
    name: 'changed_body_is_refused',
    title: 'A webhook with one changed byte is refused and has no effect',
    clause: 'Webhooks, Verify: the signature covers the bytes as they arrived',
    run: forging(async (event, secret) => {
      const [digit, space] = changedBodies(await genuine(event, secret))
      return [
        ...(digit ? [{ what: 'with another amount', webhook: digit }] : []),
        ...(space ? [{ what: 'with a space at the end', webhook: space }] : []),
      ]
    }),
  },
  {
    check: 4,
    name: 'wrong_time_is_refused',
    title: 'A webhook that was signed six minutes in the past or in the future is refused and has no effect',
    clause: 'Webhooks, Verify: signed within five minutes',
    run: forging(async (event, secret) => [
      { what: 'six minutes old', webhook: await genuine(event, secret, { at: new Date(Date.now() - SIX_MINUTES_MS) }) },
      { what: 'six minutes early', webhook: await genuine(event, secret, { at: new Date(Date.now() + SIX_MINUTES_MS) }) },
    ]),
  },
  {
    check: 5,
    name: 'unusual_json_is_accepted',
    title: 'A genuine webhook with unusual spacing, Hindi text and an additional field is answered with 200',
    clause: 'Webhooks, Verify: verify the bytes as they arrived, then parse them; later versions may add fields',
    run: (bench) =>
      accepts(bench, ({ paid }) =>
        bench.sendGenuine(unusual(paid), { note: 'unusual spacing, Hindi text, an additional field' }),
      ),
  },
  {
    check: 6,
    name: 'second_signature_is_accepted',
    title: 'A webhook whose second signature is valid is answered with 200',
    clause: 'Webhooks, What comes: two signatures while a secret rotates',
    run: (bench) =>
      accepts(bench, async ({ paid }) => {
        const webhook = await withForeignSignatureFirst(await genuine(paid, bench.secret), foreignSecret())
        return bench.send(webhook, { note: 'the second of two signatures is valid' })
      }),
  },
  {
    check: 14,
    name: 'test_event_has_no_effect',
    title: 'A test event is answered with 200 and has no effect',
    clause: 'Webhooks, Register a URL: webhook-test',
    async run(bench) {
      const { orderId, ...event } = await testEvent(bench.secret)
      const verdicts = [acknowledged(await bench.send(event, { note: 'a test event' }))]
      return { verdicts, effects: [notFulfilled(orderId)] }
    },
  },
  {
    check: 15,
    name: 'junk_is_survived',
    title:
      'A GET request, invalid bodies and a body of one mebibyte: the receiver refuses invalid bodies, keeps running and never answers 410',
    clause: 'Webhooks, Acknowledge: 410 disables the URL',
    async run(bench) {
      const { initiated } = await bench.openOrder()
      const verdicts: Verdict[] = [alive(await bench.send({ headers: {}, body: '' }, { method: 'GET', note: 'GET' }), 'GET')]
      for (const { what, ...webhook } of JUNK) verdicts.push(refused(await bench.send(webhook, { note: what }), what))
      const long = { headers: JSON_HEADERS, body: JSON.stringify({ junk: 'x'.repeat(MEBIBYTE) }) }
      // The receiver may close the connection instead of answering; only 410 is wrong.
      const { status } = await bench.send(long, { note: 'one mebibyte' })
      if (status !== null) verdicts.push(refused({ status, error: null, durationMs: 0 }, 'one mebibyte'))
      const note = 'a genuine webhook after the junk'
      verdicts.push(alive(await bench.sendGenuine(initiated, { note }), note))
      return { verdicts, effects: [] }
    },
  },
]

/** The answer decides. With a probe, the effect is judged as well. */
async function accepts(bench: Bench, send: (order: PaidOrder) => Promise<Answer>): Promise<Findings> {
  const order = await bench.paidOrder()
  const verdicts = [acknowledged(await send(order))]
  return { verdicts, effects: bench.probe ? [fulfilledOnce(order.orderId)] : [] }
}

interface Forgery {
  readonly what: string
  readonly webhook: Webhook
}

/** Webhooks that are not genuine are refused, and have no effect on an order that is still open. */
function forging(forge: (event: SandboxEvent, secret: string) => Promise<readonly Forgery[]>): Check['run'] {
  return async (bench) => {
    const { orderId, initiated } = await bench.openOrder()
    const verdicts: Verdict[] = []
    // A receiver that searches but does not verify answers 500 to a forged Success; its 200 to a forged Pending shows the mistake.
    for (const status of ['Pending', 'Success'])
      for (const { what, webhook } of await forge(claimed(initiated, status, 2), bench.secret)) {
        const note = `${status} ${what}`
        verdicts.push(refused(await bench.send(webhook, { note }), note))
      }
    return { verdicts, effects: [notFulfilled(orderId)] }
  }
}
