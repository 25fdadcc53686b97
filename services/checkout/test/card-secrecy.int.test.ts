import { inspect } from 'node:util'
import type { JsonReply } from '@gateway/testkit'
import { startFixture, type Fixture } from './fixture.ts'
import { newShopper, payFields } from './shopper.ts'

/**
 * A card may exist only in the form's request and in the request to the network. Every other output of this service (logs at all
 * levels, answers, cookies, internal requests) is recorded and searched, after successful and failed payments.
 */
const logged: string[] = []
/** Stricter than the real log: records every property of an error, including those that libraries attach. */
const keep = (...parts: unknown[]) => void logged.push(inspect(parts, { depth: 20, maxStringLength: Infinity, showHidden: true }))
const log = { info: keep, warn: keep, error: keep, debug: keep }

// Digits that no duration or status starts with.
const NUMBER = '378282246310005'
const CVV = '0742'
const CARD = { card_number: '3782 822463 10005', card_expiry: '12/34', card_cvv: CVV, card_name: 'Asha Quvmxrao' }
const base64 = (text: string): string => Buffer.from(text).toString('base64').replace(/=+$/u, '')
/** Finds the card number with separators, URL-encoded, in base64 or in JSON, and also the CVV and the holder's name. */
const traces = (text: string): string[] =>
  [
    new RegExp(NUMBER.split('').join('(?:%[0-9A-F]{2}|\\D){0,3}'), 'u'),
    /Quvmxrao/u,
    new RegExp(`["'=: ]${CVV}["'&,\\s]`, 'u'),
    // Base64 encodes a text in three ways, depending on its offset.
    ...[NUMBER, NUMBER.slice(1), NUMBER.slice(2)].map((digits) => new RegExp(base64(digits).slice(0, 16), 'u')),
  ]
    .map((trace) => trace.exec(text)?.[0])
    .filter((found) => found !== undefined)

let fixture: Fixture
beforeAll(async () => (fixture = await startFixture({ log, logLevel: 'debug' })))
afterAll(() => fixture.stop())

test('the search finds planted card data', () => {
  for (const planted of [
    NUMBER,
    CARD.card_number,
    '3782-822463-10005',
    encodeURIComponent(CARD.card_number),
    base64(JSON.stringify({ number: NUMBER })),
    base64(`x${NUMBER}`),
    base64(`xy${NUMBER}`),
    JSON.stringify({ cvv: CVV }),
    CARD.card_name,
  ]) {
    expect(traces(`some ${planted} text`)).not.toEqual([])
  }
  expect(traces('a text about nothing, from 2026-11-21T10:00:00.000Z, taking 742 ms')).toEqual([])
})

const everyEnd: [string, JsonReply | 'as it should'][] = [
  ['goes well', 'as it should'],
  ['is reset', 'reset'],
  ['is refused', { status: 422, body: { detail: `the card ${NUMBER} of Asha Quvmxrao is not known` } }],
  ['fails, and the network repeats the card', { status: 500, body: { card: { number: NUMBER, cvv: CVV } } }],
  ['is answered with nonsense that holds the card', { status: 201, body: `"${NUMBER}` }],
  ['is a conflict', { status: 409, body: { detail: NUMBER } }],
  ['hangs', 'hang'],
]

// Proves: faults/card-data-is-stored-nowhere
test.each(everyEnd)(
  'a start that %s: the card is in no log, cookie, header or page, and payment-status never hears of it',
  async (_name, reply) => {
    fixture.network.restore()
    if (reply !== 'as it should') fixture.network.answer(() => reply)
    const { id, path } = fixture.payment({ attempts_left: 3 })
    const shopper = newShopper(fixture)
    const page = await shopper.open(path)
    const answers = [
      await shopper.post(`${path}/pay`, payFields(page, { ...CARD, card_cvv: '1' })),
      await shopper.post(`${path}/pay`, payFields(page, CARD)),
      await shopper.get(`${path}/bank`),
      await shopper.get(path),
      await shopper.get(`${path}/state`),
    ]
    expect(fixture.network.starts.filter(({ tr }) => tr === id).length).toBeGreaterThan(0)
    for (const answer of answers) {
      const headers = JSON.stringify([...answer.headers])
      expect(traces(headers)).toEqual([])
      // A valid name is shown again in a form with mistakes, and nowhere else.
      const body = (await answer.text()).replace('value="Asha Quvmxrao"', '')
      expect(traces(body)).toEqual([])
    }
    expect(traces(JSON.stringify([...shopper.cookies]))).toEqual([])
    const asked = fixture.paymentStatus.requests.map(({ path: asking, rawBody, headers }) => [
      asking,
      rawBody.toString(),
      headers,
    ])
    expect(traces(inspect(asked, { depth: 5 }))).toEqual([])
    expect(traces(logged.join('\n'))).toEqual([])
  },
)

test('payment-status goes down during a card payment: an error page and a log line, without card data', async () => {
  const { path } = fixture.payment()
  const shopper = newShopper(fixture)
  const page = await shopper.open(path)
  for (const reply of ['reset', { status: 500, body: {} }] as const) {
    fixture.paymentStatus.answer(() => reply)
    const before = logged.length
    const response = await shopper.post(`${path}/pay`, payFields(page, CARD))
    fixture.restorePaymentStatus()
    expect([response.status, traces(await response.text())]).toEqual([503, []])
    expect(logged.length).toBeGreaterThan(before)
  }
  expect(traces(logged.join('\n'))).toEqual([])
})

test('the network refuses connections: the error that holds the request is not logged', async () => {
  const where = await startFixture({ log, networkUrl: 'http://127.0.0.1:1' })
  try {
    const { path } = where.payment()
    const shopper = newShopper(where)
    const before = logged.length
    await shopper.post(`${path}/pay`, payFields(await shopper.open(path), CARD))
    const lines = logged.slice(before).join('\n')
    expect(lines).toContain('attempt start got no clear answer')
    expect(lines).toContain('ECONNREFUSED')
    expect(traces(lines)).toEqual([])
  } finally {
    await where.stop()
  }
})

test('the request to the network carries the card in its body only', () => {
  const sent = fixture.network.requests.map(({ path, query, headers }) => [path, [...query], headers])
  expect(sent.length).toBeGreaterThan(0)
  expect(traces(inspect(sent, { depth: 5 }))).toEqual([])
})
