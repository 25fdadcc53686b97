/** The contract suite passes against the simulator, and each broken connector fails exactly the check meant for it. */
import { connectTo, instruments, runContract, startCallbackReceiver } from '@gateway/connector-contract'
import { readSigningSecret } from '@gateway/contracts'
import { silentLog, stopAll, type Stoppable } from '@gateway/service-kit'
import { startNetworkSimulator } from '../src/service.ts'
import { API_KEY, CALLBACK_SECRET, startDependencies, type Dependencies } from './fixture.ts'
import { OPTION_TAMPERS } from './option-tampers.ts'
import { REFUND_TAMPERS } from './refund-tampers.ts'
import {
  enquiring,
  failsTheSecondTime,
  forgetful,
  insteadOf,
  isEnquiry,
  isReversal,
  isStart,
  reporting,
  reversed,
  started,
  withFields,
  write,
} from './tampers.ts'
import { honest, startTamperingProxy, type Tamper, type TamperingProxy } from './tampering-proxy.ts'

const key = readSigningSecret(CALLBACK_SECRET)
let dependencies: Dependencies
let receiver: Awaited<ReturnType<typeof startCallbackReceiver>>
/** Proxies between suite and simulator, and between simulator and receiver. */
let calls: TamperingProxy
let callbacks: TamperingProxy
let simulator: { port: number; parts: readonly Stoppable[] }

beforeAll(async () => {
  dependencies = await startDependencies()
  receiver = await startCallbackReceiver({ host: '127.0.0.1', port: 0, key })
  callbacks = await startTamperingProxy(() => receiver.url)
  calls = await startTamperingProxy(() => `http://127.0.0.1:${simulator.port}`)
  simulator = await startSimulator({ upiCollect: true })
})

function startSimulator(changes: { upiCollect: boolean }) {
  const config = { ...dependencies.config, ...changes, callbackUrl: `${callbacks.url}/network/v1/callbacks` }
  return startNetworkSimulator(config, { log: silentLog })
}

async function restart(changes: { upiCollect: boolean }): Promise<void> {
  await stopAll(silentLog, simulator.parts, 10_000)
  simulator = await startSimulator(changes)
}

afterEach(() => {
  calls.tamper(honest)
  callbacks.tamper(honest)
})
afterAll(async () => {
  await Promise.all([calls.stop(), callbacks.stop(), receiver.stop()])
  await stopAll(silentLog, simulator.parts, 10_000)
  await dependencies.stop()
})

const bench = (patienceMs: number) => ({
  connector: connectTo(calls.url, API_KEY),
  callbacks: receiver,
  instruments: instruments(),
  patienceMs,
})
const check = (patienceMs: number) => runContract(bench(patienceMs))

// Proves: connector/simulator-passes-every-check
test('the simulator passes every check', async () => {
  const results = await check(15_000)
  expect(results.filter(({ breach }) => breach !== undefined)).toEqual([])
  expect(results.length).toBeGreaterThanOrEqual(38)
})

test.each<[what: string, where: 'calls' | 'callbacks', how: Tamper, failing: string[]]>([
  [
    'accepts every API key',
    'calls',
    (request, pass) => pass({ ...request, headers: { ...request.headers, authorization: `Bearer ${API_KEY}` } }),
    [
      'access: every call without the API key is 401 and starts nothing',
      'access: every call with another API key is 401 and starts nothing',
      'capabilities: 200 in the form of the contract, and 401 without the API key',
      'intent: an invalid request is 422, and 401 without the API key',
      'downtimes: 200 in the form of the contract, and 401 without the API key',
      'refund: every call without the API key is 401 and refunds nothing',
    ],
  ],
  [
    'starts again for the same key',
    'calls',
    forgetful(),
    ['upi', 'credit_card', 'netbanking'].map(
      (method) => `start ${method}: repeated and concurrent requests with one key are one payment`,
    ),
  ],
  [
    'accepts another body under the same key',
    'calls',
    insteadOf(409, isStart, started, 201),
    ['start: the same key with another body is 409'],
  ],
  [
    'accepts invalid requests',
    'calls',
    insteadOf(422, isStart, started, 201),
    ['start: an invalid request is 422 and starts nothing'],
  ],
  [
    'answers 404 for an unknown tr',
    'calls',
    async (request, pass) => {
      const answer = await pass(request)
      const isEmpty = isEnquiry(request) && answer.body.includes('"payments":[]')
      return isEmpty ? write(404, { code: 'payment_not_found' }) : answer
    },
    [
      'access: every call without the API key is 401 and starts nothing',
      'access: every call with another API key is 401 and starts nothing',
      'start: an invalid request is 422 and starts nothing',
      'enquiry: an unknown tr is an empty list',
    ],
  ],
  [
    'returns only the last payment of a tr',
    'calls',
    enquiring((payments) => payments.slice(-1)),
    [
      'enquiry: every payment of a tr is listed with its reference, attempt, method and amount',
      'enquiry: a capture is listed before declines, and a list that is cut says so',
    ],
  ],
  [
    'omits the rrn of cards',
    'calls',
    enquiring((payments) => payments.map(({ rrn, ...rest }) => (rest['method'] === 'credit_card' ? rest : { ...rest, rrn }))),
    ['enquiry credit_card: a success has an rrn that does not change'],
  ],
  [
    'fails a repeated reversal',
    'calls',
    failsTheSecondTime(),
    ['reversal: repeated and concurrent requests reverse once and get the same answer'],
  ],
  [
    'reverses any amount',
    'calls',
    (request, pass) =>
      pass(isReversal(request) && request.body.includes('498.00') ? withFields(request, { amount: '499.00' }) : request),
    ['reversal: an amount other than the captured one fails'],
  ],
  [
    'reverses unknown references',
    'calls',
    insteadOf(404, isReversal, reversed, 200),
    ['reversal: an unknown reference is 404', 'reversal: a reference of another tr is 404'],
  ],
  [
    'signs with another secret',
    'callbacks',
    (request, pass) => pass({ ...request, headers: { ...request.headers, 'webhook-signature': `v1,${'A'.repeat(43)}=` } }),
    [
      'callback: each is signed with the secret, over the bytes that are sent',
      'refund: succeeds with an rrn, an enquiry agrees, and its callback is signed',
    ],
  ],
  [
    'reports for another tr',
    'callbacks',
    reporting({ tr: 'ANOTHERTR' }, key),
    ['upi', 'credit_card', 'netbanking'].map(
      (method) => `callback ${method}: a success is reported with its tr, method and amount`,
    ),
  ],
  [
    'does not repeat an unacknowledged report',
    'callbacks',
    async (request, pass) => {
      await pass(request)
      return write(200, {})
    },
    [
      'callback: an unacknowledged callback is sent again with the same webhook-id',
      'refund: an unacknowledged callback is sent again with the same webhook-id',
    ],
  ],
])('detects a connector that %s', async (_what, where, how, failing) => {
  const proxy = where === 'calls' ? calls : callbacks
  proxy.tamper(how)
  const results = await check(2000)
  expect(results.filter(({ breach }) => breach !== undefined).map(({ name }) => name)).toEqual(failing)
})

// Proves: connector/broken-refunds-are-red
test.each(REFUND_TAMPERS)('detects a connector that %s', async (_what, where, how, failing) => {
  const proxy = where === 'calls' ? calls : callbacks
  proxy.tamper(how)
  // Run only the checks of refunds, and those of capabilities when the connector's capabilities are invalid.
  const part = failing.some((name) => name.startsWith('capabilities')) ? 'capabilities' : 'refund'
  const results = await runContract(bench(2000), undefined, part)
  expect(results.filter(({ breach }) => breach !== undefined).map(({ name }) => name)).toEqual(failing)
})

// Proves: connector/pays-upi-by-link
test('without upi_collect the suite pays UPI by link, and every check is ok', async () => {
  await restart({ upiCollect: false })
  const results = await check(15_000)
  const names = results.map(({ name }) => name)
  expect(results.filter(({ breach }) => breach !== undefined)).toEqual([])
  expect(names).toContain('start upi: a start with a VPA is 422 without upi_collect, and starts nothing')
  expect(names).not.toContain('start upi: 201 with a reference that an enquiry knows')
  expect(names).toContain('callback upi: a success is reported with its tr, method and amount')
})

// Proves: connector/broken-options-are-red
test.each(OPTION_TAMPERS)('detects a connector that %s', async (_what, how, part, failing) => {
  calls.tamper(how)
  const results = await runContract(bench(2000), undefined, part)
  expect(results.filter(({ breach }) => breach !== undefined).map(({ name }) => name)).toEqual(failing)
})
