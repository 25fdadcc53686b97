/** A faulty connector: every answer is `unclear`, and in time. Needs no database and no broker. */
import type { Log } from '@gateway/service-kit'
import type { Reversal } from '../src/payments/domain/transaction.ts'
import { createNetworkConnector, type NetworkConnector } from '../src/enquiries/clients/network-connector.ts'
import { BROKEN_ANSWERS, startBrokenConnector, type BrokenConnector } from './broken-connector.ts'

const TIMEOUT_MS = 400
const KEY = 'n'.repeat(32)
/** Far above the timeout: only a call that never ends reaches it. */
const NEVER_MS = 10_000

let connector: BrokenConnector
let network: NetworkConnector
let logged: string[]
beforeEach(async () => {
  logged = []
  const keep = (message: string, fields?: object): void => void logged.push(JSON.stringify({ message, ...fields }))
  const log: Log = { info: keep, warn: keep, error: keep, debug: keep }
  connector = await startBrokenConnector()
  network = createNetworkConnector({ url: connector.url, apiKey: KEY, timeoutMs: TIMEOUT_MS }, (same) => same, log)
})
afterEach(() => connector.stop())

const reversal: Reversal = {
  reference: 'R1',
  amount_paise: 49900,
  reason: 'late',
  status: 'pending',
  rrn: null,
  requested_at: new Date(),
  completed_at: null,
  requests: 0,
  due_at: new Date(),
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
      expect(await network.enquire('T1')).toEqual({ kind: 'unclear', why: expect.any(String) })
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

test.each([301, 302, 303, 307, 308])('a redirect (%i) is not followed, and is unclear', async (status) => {
  const elsewhere = await startBrokenConnector()
  elsewhere.answer((response) => response.writeHead(200, { 'content-type': 'application/json' }).end(known(payment)))
  connector.answer((response) => response.writeHead(status, { location: `${elsewhere.url}/network/v1/payments?tr=T1` }).end())
  try {
    expect(await network.enquire('T1')).toEqual({ kind: 'unclear', why: `status ${status}` })
    expect(await network.reverse('T1', reversal)).toBe('unclear')
    // The other server would have received the API key.
    expect(elsewhere.asked).toEqual([])
  } finally {
    await elsewhere.stop()
  }
})

test.each([
  ['of another transaction', JSON.stringify({ tr: 'T2', payments: [] })],
  ['with a payment of another transaction', known({ ...payment, tr: 'T2' })],
  ['with an unknown outcome', known({ ...payment, outcome: 'maybe' })],
  ['with an invalid amount', known({ ...payment, amount: '499.001' })],
  ['with an amount that is a number', known({ ...payment, amount: 499 })],
  ['with one invalid payment among valid ones', known(payment, { reference: 'R2' })],
  ['without payments', JSON.stringify({ tr: 'T1' })],
  ['with more than 100 payments', known(...Array.from({ length: 101 }, (_, index) => ({ ...payment, reference: `R${index}` })))],
])('an enquiry’s answer %s is unclear as a whole', async (_name, body) => {
  answerJson(body)
  expect(await network.enquire('T1')).toEqual({ kind: 'unclear', why: 'unreadable answer' })
})

test.each([
  ['of another reference', reversed({ reference: 'R2' })],
  ['with an unknown status', reversed({ status: 'done' })],
  ['without a status', JSON.stringify({ reference: 'R1', reason: null })],
])('a reversal’s answer %s is unclear', async (_name, body) => {
  answerJson(body)
  expect(await network.reverse('T1', reversal)).toBe('unclear')
})

test('two answers to one request: the first counts, and the second does not answer the next request', async () => {
  const twice = (first: string, second: string): string =>
    [first, second]
      .map((body) => `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
      .join('')
  connector.answer((response) => response.socket?.write(twice(reversed(), reversed({ status: 'failed' }))))
  expect([{ status: 'succeeded' }, 'unclear']).toContainEqual(await network.reverse('T1', reversal))
  connector.answer((response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(reversed({ status: 'pending' })),
  )
  expect(await network.reverse('T1', reversal)).toEqual({ status: 'pending' })
})

test('a reversal is requested twice at the same address', async () => {
  answerJson(reversed({ status: 'pending' }))
  expect(await network.reverse('T1', reversal)).toEqual({ status: 'pending' })
  answerJson(reversed())
  expect(await network.reverse('T1', reversal)).toEqual({ status: 'succeeded' })
  expect(connector.asked).toEqual(['/network/v1/reversals', '/network/v1/reversals'])
})

// Proves: connector/a-cut-list-is-never-clear
test.each([
  ['says that it is cut', 1, { more: true }, true],
  ['says that it is whole', 100, { more: false }, false],
  ['is full and says nothing', 100, {}, true],
  ['is not full and says nothing', 99, {}, false],
])('a list that %s', async (_what, count, fields, isCut) => {
  const payments = Array.from({ length: count }, (_, index) => ({ ...payment, reference: `R${index}` }))
  answerJson(JSON.stringify({ tr: 'T1', payments, ...fields }))
  expect(await network.enquire('T1')).toMatchObject({ kind: 'known', isCut })
})
