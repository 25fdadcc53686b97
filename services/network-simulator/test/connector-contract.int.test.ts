/** The contract suite is green against the simulator, and each broken connector fails by the check that is meant for it. */
import { connectTo, runContract, SIMULATOR_INSTRUMENTS, startCallbackReceiver } from '@gateway-tools/connector-contract'
import { readSigningSecret, sign } from '@gateway/contracts'
import { silentLog, stopAll, type Stoppable } from '@gateway/service-kit'
import { startNetworkSimulator } from '../src/service.ts'
import { API_KEY, CALLBACK_SECRET, startNeighbours, type Neighbours } from './fixture.ts'
import { honest, startMiddleman, type Middleman, type Passed, type Passing, type Tamper } from './middleman.ts'

const key = readSigningSecret(CALLBACK_SECRET)
let neighbours: Neighbours
let receiver: Awaited<ReturnType<typeof startCallbackReceiver>>
/** Between the suite and the simulator, and between the simulator and the receiver. */
let calls: Middleman
let callbacks: Middleman
let simulator: { port: number; parts: readonly Stoppable[] }

beforeAll(async () => {
  neighbours = await startNeighbours()
  receiver = await startCallbackReceiver({ host: '127.0.0.1', port: 0, key })
  callbacks = await startMiddleman(() => receiver.url)
  calls = await startMiddleman(() => `http://127.0.0.1:${simulator.port}`)
  const config = { ...neighbours.config, callbackUrl: `${callbacks.url}/network/v1/callbacks` }
  simulator = await startNetworkSimulator(config, { log: silentLog })
}, 60_000)
afterEach(() => {
  calls.tamper(honest)
  callbacks.tamper(honest)
})
afterAll(async () => {
  await Promise.all([calls.stop(), callbacks.stop(), receiver.stop()])
  await stopAll(silentLog, simulator.parts, 10_000)
  await neighbours.stop()
}, 60_000)

const check = (patienceMs: number) =>
  runContract({
    connector: connectTo(calls.url, API_KEY),
    callbacks: receiver,
    instruments: SIMULATOR_INSTRUMENTS,
    patienceMs,
  })

test('the simulator keeps the whole contract', async () => {
  const results = await check(15_000)
  expect(results.filter(({ breach }) => breach !== undefined)).toEqual([])
  expect(results.length).toBeGreaterThanOrEqual(28)
})

type Fields = Record<string, unknown>
const read = (body: string) => JSON.parse(body) as Fields
const write = (status: number, body: object): Passed => ({ status, body: JSON.stringify(body) })
const isStart = ({ method, path }: Passing) => method === 'POST' && path === '/network/v1/payments'
const isEnquiry = ({ method }: Passing) => method === 'GET'
const isReversal = ({ path }: Passing) => path === '/network/v1/reversals'
const withKey = (request: Passing, idempotencyKey: string, fields: Fields): Passing => ({
  ...request,
  headers: { ...request.headers, 'idempotency-key': idempotencyKey },
  body: JSON.stringify({ ...read(request.body), ...fields }),
})
const withFields = (request: Passing, fields: Fields): Passing => ({
  ...request,
  body: JSON.stringify({ ...read(request.body), ...fields }),
})

/** Answers enquiries with other payments than the simulator does. */
const enquiring =
  (change: (payments: Fields[]) => Fields[]): Tamper =>
  async (request, pass) => {
    const answer = await pass(request)
    if (!isEnquiry(request) || answer.status !== 200) return answer
    const body = read(answer.body)
    return write(200, { ...body, payments: change(body['payments'] as Fields[]) })
  }

/** Answers something else where the simulator answers with this status. */
const insteadOf =
  (status: number, which: (request: Passing) => boolean, answer: object, otherStatus: number): Tamper =>
  async (request, pass) => {
    const passed = await pass(request)
    return which(request) && passed.status === status ? write(otherStatus, answer) : passed
  }

function forgetful(): Tamper {
  const seen = new Map<string, number>()
  return (request, pass) => {
    if (!isStart(request)) return pass(request)
    const times = (seen.get(request.body) ?? 0) + 1
    seen.set(request.body, times)
    // Without a key, or with another than its attempt's, it is refused as ever.
    if (read(request.body)['attempt_id'] !== request.headers['idempotency-key']) return pass(request)
    const key = request.headers['idempotency-key'] ?? ''
    return pass(times === 1 ? request : withKey(request, `${key}-${times}`, { attempt_id: `${key}-${times}` }))
  }
}

function failsTheSecondTime(): Tamper {
  const seen = new Set<string>()
  return async (request, pass) => {
    const answer = await pass(request)
    if (!isReversal(request) || answer.status !== 200) return answer
    const { reference } = read(answer.body)
    if (!seen.has(request.body)) {
      seen.add(request.body)
      return answer
    }
    return write(200, { reference, status: 'failed', reason: 'reversed already' })
  }
}

/** Signs anew, as a connector would that reports something else. */
const reporting =
  (change: Fields): Tamper =>
  (request, pass) => {
    const { body } = withFields(request, change)
    const timestamp = Number(request.headers['webhook-timestamp'])
    const signature = sign(request.headers['webhook-id'] ?? '', timestamp, body, [key])
    return pass({ ...request, body, headers: { ...request.headers, 'webhook-signature': signature } })
  }

const started = { reference: 'R1', status: 'pending', redirect_url: null, reason: null }
const reversed = { reference: 'R1', status: 'succeeded', reason: null }

test.each<[what: string, where: 'calls' | 'callbacks', how: Tamper, failing: string[]]>([
  [
    'lets everybody in',
    'calls',
    (request, pass) => pass({ ...request, headers: { ...request.headers, authorization: `Bearer ${API_KEY}` } }),
    [
      'access: every call without the API key is 401, and starts nothing',
      'access: every call with another API key is 401, and starts nothing',
    ],
  ],
  [
    'starts again for the same key',
    'calls',
    forgetful(),
    ['upi', 'credit_card', 'netbanking'].map(
      (method) => `start ${method}: the same key and body, again and at once, is one payment`,
    ),
  ],
  [
    'takes another body under the same key',
    'calls',
    insteadOf(409, isStart, started, 201),
    ['start: the same key with another body is 409'],
  ],
  [
    'takes what does not fit',
    'calls',
    insteadOf(422, isStart, started, 201),
    ['start: what does not fit is 422, and starts nothing'],
  ],
  [
    'answers 404 about a tr that it does not know',
    'calls',
    async (request, pass) => {
      const answer = await pass(request)
      const isEmpty = isEnquiry(request) && answer.body.includes('"payments":[]')
      return isEmpty ? write(404, { code: 'payment_not_found' }) : answer
    },
    [
      'access: every call without the API key is 401, and starts nothing',
      'access: every call with another API key is 401, and starts nothing',
      'start: what does not fit is 422, and starts nothing',
      'enquiry: an unknown tr is an empty list',
    ],
  ],
  [
    'tells only the last payment of a tr',
    'calls',
    enquiring((payments) => payments.slice(-1)),
    ['enquiry: every payment of a tr is listed, as it was started'],
  ],
  [
    'keeps the rrn of cards to itself',
    'calls',
    enquiring((payments) => payments.map(({ rrn, ...rest }) => (rest['method'] === 'credit_card' ? rest : { ...rest, rrn }))),
    ['enquiry credit_card: a success has an rrn, and keeps it'],
  ],
  [
    'reverses a second time, and fails',
    'calls',
    failsTheSecondTime(),
    ['reversal: asked for again and at once, it is made once and answered the same'],
  ],
  [
    'reverses whatever amount is asked for',
    'calls',
    (request, pass) =>
      pass(isReversal(request) && request.body.includes('498.00') ? withFields(request, { amount: '499.00' }) : request),
    ['reversal: another amount than was captured is refused with failed'],
  ],
  [
    'reverses what it does not know',
    'calls',
    insteadOf(404, isReversal, reversed, 200),
    ['reversal: an unknown reference is 404', 'reversal: a reference of another tr is 404, and stays as it is'],
  ],
  [
    'signs with the secret of somebody else',
    'callbacks',
    (request, pass) => pass({ ...request, headers: { ...request.headers, 'webhook-signature': `v1,${'A'.repeat(43)}=` } }),
    ['callback: each is signed with the secret, over the bytes that are sent'],
  ],
  [
    'reports for another tr',
    'callbacks',
    reporting({ tr: 'ANOTHERTR' }),
    ['upi', 'credit_card', 'netbanking'].map((method) => `callback ${method}: a success is reported, for its own tr and amount`),
  ],
  [
    'reports once, acknowledged or not',
    'callbacks',
    async (request, pass) => {
      await pass(request)
      return write(200, {})
    },
    ['callback: what is not acknowledged is sent again, under the same webhook-id'],
  ],
])('a connector that %s is found out', async (_what, where, how, failing) => {
  const middleman = where === 'calls' ? calls : callbacks
  middleman.tamper(how)
  const results = await check(2000)
  expect(results.filter(({ breach }) => breach !== undefined).map(({ name }) => name)).toEqual(failing)
})
