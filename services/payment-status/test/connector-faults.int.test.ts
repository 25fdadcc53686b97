/** What `payment-status` makes of a connector that is broken: `unclear`, in time, whatever it does. No database or broker is needed. */
import type { Log } from '@gateway/service-kit'
import type { Reversal } from '../src/domain/transaction.ts'
import { connectorNetwork, type Network } from '../src/network/network-connector.ts'
import { BROKEN_ANSWERS, startBrokenConnector, type BrokenConnector } from './broken-connector.ts'

const TIMEOUT_MS = 400
const KEY = 'n'.repeat(32)
/** Far above the timeout: reached only by a call that nothing ends. */
const NEVER_MS = 10_000

let connector: BrokenConnector
let network: Network
let logged: string[]
beforeEach(async () => {
  logged = []
  const keep = (message: string, fields?: object): void => void logged.push(JSON.stringify({ message, ...fields }))
  const log: Log = { info: keep, warn: keep, error: keep, debug: keep }
  connector = await startBrokenConnector()
  network = connectorNetwork({ url: connector.url, apiKey: KEY, timeoutMs: TIMEOUT_MS }, log)
})
afterEach(() => connector.stop())

const reversal: Reversal = {
  reference: 'R1',
  amountPaise: 49900,
  reason: 'late',
  status: 'pending',
  requestedAt: new Date(),
  completedAt: null,
  asked: 0,
  dueAt: new Date(),
}
const payment = { reference: 'R1', tr: 'T1', outcome: 'success', amount: '499.00', method: 'upi' }
const known = (...payments: object[]): string => JSON.stringify({ tr: 'T1', payments })
const reversed = (fields: object = {}): string =>
  JSON.stringify({ reference: 'R1', status: 'succeeded', reason: null, ...fields })
const answerJson = (body: string) =>
  connector.answer((response) => response.writeHead(200, { 'content-type': 'application/json' }).end(body))

describe.each(Object.entries(BROKEN_ANSWERS))('%s', (_name, answer) => {
  test(
    'an enquiry is unclear',
    async () => {
      connector.answer((response) => answer(response, known(payment)))
      expect(await network.enquire('T1')).toEqual({ kind: 'unclear' })
      expect(logged.join('\n')).toContain('"operation":"enquire"')
      expect(logged.join('\n')).not.toContain(KEY)
    },
    NEVER_MS,
  )

  test(
    'a reversal is unclear',
    async () => {
      connector.answer((response) => answer(response, reversed()))
      expect(await network.reverse('T1', reversal)).toBe('unclear')
      expect(logged.join('\n')).toContain('"operation":"reverse"')
      expect(logged.join('\n')).not.toContain(KEY)
    },
    NEVER_MS,
  )
})

test.each([301, 302, 303, 307, 308])('a redirect (%i) is not followed, and no answer', async (status) => {
  const elsewhere = await startBrokenConnector()
  elsewhere.answer((response) => response.writeHead(200, { 'content-type': 'application/json' }).end(known(payment)))
  connector.answer((response) => response.writeHead(status, { location: `${elsewhere.url}/network/v1/payments?tr=T1` }).end())
  try {
    expect(await network.enquire('T1')).toEqual({ kind: 'unclear' })
    expect(await network.reverse('T1', reversal)).toBe('unclear')
    // Whoever it is would have got the key.
    expect(elsewhere.asked).toEqual([])
  } finally {
    await elsewhere.stop()
  }
})

test.each([
  ['of another transaction', JSON.stringify({ tr: 'T2', payments: [] })],
  ['with a payment of another transaction', known({ ...payment, tr: 'T2' })],
  ['with an outcome that nobody knows', known({ ...payment, outcome: 'maybe' })],
  ['with an amount that is no amount', known({ ...payment, amount: '499.001' })],
  ['with an amount that is a number', known({ ...payment, amount: 499 })],
  ['with one payment too odd among good ones', known(payment, { reference: 'R2' })],
  ['without payments', JSON.stringify({ tr: 'T1' })],
  [
    'of more payments than are possible',
    known(...Array.from({ length: 101 }, (_, index) => ({ ...payment, reference: `R${index}` }))),
  ],
])('an enquiry’s answer %s is unclear as a whole', async (_name, body) => {
  answerJson(body)
  expect(await network.enquire('T1')).toEqual({ kind: 'unclear' })
})

test.each([
  ['of another reference', reversed({ reference: 'R2' })],
  ['with a status that nobody knows', reversed({ status: 'done' })],
  ['without a status', JSON.stringify({ reference: 'R1', reason: null })],
])('a reversal’s answer %s is unclear', async (_name, body) => {
  answerJson(body)
  expect(await network.reverse('T1', reversal)).toBe('unclear')
})

test('two answers to one request: the first counts, and the second is not taken for the next one’s', async () => {
  const twice = (first: string, second: string): string =>
    [first, second]
      .map((body) => `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
      .join('')
  connector.answer((response) => response.socket?.write(twice(reversed(), reversed({ status: 'failed' }))))
  expect(['succeeded', 'unclear']).toContain(await network.reverse('T1', reversal))
  connector.answer((response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(reversed({ status: 'pending' })),
  )
  expect(await network.reverse('T1', reversal)).toBe('pending')
})

test('a reversal carries one idempotency key, however often it is asked', async () => {
  answerJson(reversed({ status: 'pending' }))
  expect(await network.reverse('T1', reversal)).toBe('pending')
  answerJson(reversed())
  expect(await network.reverse('T1', { ...reversal, asked: 7 })).toBe('succeeded')
  expect(connector.asked).toEqual(['/network/v1/reversals', '/network/v1/reversals'])
})
