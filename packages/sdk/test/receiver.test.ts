import { randomBytes } from 'node:crypto'
import { formatSigningSecret } from '@gateway/contracts'
import {
  createReceiver,
  DuplicateInFlightError,
  memoryStore,
  sign,
  type Order,
  type ReceiverOptions,
  type ReceiverStore,
  type WebhookEvent,
} from '@gateway/sdk'
import { fakeGateway, json, problem, type Reply } from './fake.ts'

const secret = formatSigningSecret(randomBytes(32))
const searchAnswer = (status: string, id = 'T1') =>
  json(200, { data: { order: { order_id: 'ORD-1' }, transaction: { id, status, sequence: 3 } }, checkout: null })
const paid = searchAnswer('Success')

interface Received {
  readonly status?: string
  readonly id?: string
  readonly sequence?: number | string
  readonly test?: boolean
  readonly with?: string
}

function setUp(replies: readonly Reply[] = [paid], options: Partial<ReceiverOptions> = {}) {
  const { gateway, sent } = fakeGateway(replies, { maxRetries: 0 })
  const finals: [Order, WebhookEvent][] = []
  const errors: unknown[] = []
  const receiver = createReceiver({
    gateway,
    secrets: secret,
    store: memoryStore(),
    onFinal: (order, event) => void finals.push([order, event]),
    onError: (error) => errors.push(error),
    ...options,
  })
  const receive = async ({ status = 'Success', id = 'evt_3', sequence = 3, test = false, with: key = secret }: Received = {}) => {
    const body = JSON.stringify({ txnid: 'T1', merchantTxnId: 'ORD-1', status, amount: '499.00' })
    const headers = { ...(await sign(body, key, { id })), 'webhook-sequence': String(sequence) }
    return receiver.handle(body, test ? { ...headers, 'webhook-test': 'true' } : headers)
  }
  return { receive, receiver, finals, errors, searches: sent }
}

// Proves: sdk/receiver-confirms-by-search
test('a final webhook is confirmed by search, then handled once', async () => {
  const { receive, finals, searches } = setUp()
  expect(await receive()).toBe(200)
  expect(await receive()).toBe(200)
  expect(searches).toHaveLength(1)
  expect(finals).toMatchObject([[{ transaction: { status: 'Success' } }, { id: 'evt_3', sequence: 3 }]])
})

// Proves: sdk/receiver-answers-200-401-500
test('forged webhooks are 401 without any effect, and onError gets the reason', async () => {
  const { receive, receiver, finals, errors, searches } = setUp()
  expect(await receive({ with: formatSigningSecret(randomBytes(32)) })).toBe(401)
  expect(await receiver.handle('', {})).toBe(401)
  expect([finals, searches]).toEqual([[], []])
  expect(errors).toMatchObject([{ reason: 'signature_mismatch' }, { reason: 'header_missing' }])
})

test.each<[string, Reply]>([
  ['says that it is not paid yet', searchAnswer('Initiate')],
  ['knows no such order', problem(404, 'order_not_found')],
  ['shows another transaction', searchAnswer('Success', 'T2')],
  ['is refused', problem(503, 'database_unavailable')],
])('a search that %s: 500, nothing handled, and the next attempt is tried again', async (_name, reply) => {
  const { receive, finals, errors } = setUp([reply, paid])
  expect(await receive()).toBe(500)
  expect(finals).toEqual([])
  expect(errors).toHaveLength(1)
  expect(await receive()).toBe(200)
  expect(finals).toHaveLength(1)
})

test('a handler that throws is answered with 500 and is called again', async () => {
  let calls = 0
  const onFinal = () => {
    calls += 1
    if (calls === 1) throw new Error('the warehouse is closed')
  }
  const { receive, errors } = setUp([paid], { onFinal })
  expect([await receive(), await receive(), await receive()]).toEqual([500, 200, 200])
  expect(calls).toBe(2)
  expect(String(errors[0])).toContain('the warehouse is closed')
})

// Proves: sdk/receiver-handles-once
test('five copies at the same time are handled once', async () => {
  const { receive, finals } = setUp()
  expect(await Promise.all(Array.from({ length: 5 }, () => receive()))).toEqual([200, 200, 200, 200, 200])
  expect(finals).toHaveLength(1)
})

test('two processes with one store: the second gets 500 while the first is at work, then 200', async () => {
  const store = memoryStore()
  let finish = (): void => undefined
  const slow = setUp([paid], { store, onFinal: () => new Promise<void>((resolve) => (finish = resolve)) })
  const other = setUp([paid], { store })
  const first = slow.receive()
  while (slow.searches.length === 0) await new Promise(setImmediate)
  expect(await other.receive()).toBe(500)
  await new Promise(setImmediate)
  finish()
  expect(await first).toBe(200)
  expect(await other.receive()).toBe(200)
  expect(other.finals).toEqual([])
})

// Proves: sdk/claims-end-in-every-store
test('a claim of a process that died ends after a minute', async () => {
  let nowMs = Date.now()
  const stopped = Promise.withResolvers<undefined>()
  // A store that never forgets: the end of a claim is in its value.
  const store = memoryStore(() => 0)
  const dead = setUp([paid], { store, now: () => new Date(nowMs), onFinal: () => stopped.promise })
  const never = dead.receive()
  while (dead.searches.length === 0) await new Promise(setImmediate)
  const { receive, finals, errors } = setUp([paid], { store, now: () => new Date(nowMs) })
  expect(await receive()).toBe(500)
  expect(errors).toMatchObject([{ name: 'DuplicateInFlightError', eventId: 'evt_3' }])
  expect(errors[0]).toBeInstanceOf(DuplicateInFlightError)
  nowMs += 60_000
  expect(await receive()).toBe(200)
  expect(finals).toHaveLength(1)
  stopped.resolve(undefined)
  await never
})

// Proves: sdk/receiver-ignores-lower-sequences
test('changes that are not final have no effect; a lower or equal sequence of a handled payment has none', async () => {
  const { receive, finals, searches } = setUp()
  for (const status of ['Initiate', 'Pending']) expect(await receive({ status, id: `evt_${status}`, sequence: 1 })).toBe(200)
  expect(searches).toEqual([])
  expect(await receive()).toBe(200)
  expect(await receive({ id: 'evt_again', sequence: 3 })).toBe(200)
  expect(await receive({ status: 'Failed', id: 'evt_lower', sequence: 2 })).toBe(200)
  expect(finals).toHaveLength(1)
})

// Proves: sdk/receiver-refuses-malformed-sequences
test('a sequence that is no whole number is 500, stores nothing, and stops no later event', async () => {
  const { receive, finals, errors } = setUp()
  for (const sequence of ['abc', '', '-1', '1.5', '1e3']) expect(await receive({ id: 'evt_odd', sequence })).toBe(500)
  expect(finals).toEqual([])
  expect(String(errors[0])).toMatch(/webhook-sequence is not a whole number/u)
  expect(await receive({ id: 'evt_4', sequence: 4 })).toBe(200)
  expect(finals).toHaveLength(1)
})

test('test events go to onTest only', async () => {
  const tests: WebhookEvent[] = []
  const { receive, finals, searches } = setUp([paid], { onTest: (event) => void tests.push(event) })
  expect(await receive({ test: true })).toBe(200)
  expect(tests).toMatchObject([{ isTest: true }])
  expect([finals, searches]).toEqual([[], []])
  expect(await setUp().receive({ test: true })).toBe(200)
})

test('a store that fails is 500, and an onError that throws changes nothing', async () => {
  const broken: ReceiverStore = { ...memoryStore(), replace: () => Promise.reject(new Error('the store is away')) }
  const onError = () => {
    throw new Error('no log')
  }
  expect(await setUp([paid], { store: broken, onError }).receive()).toBe(500)
})

test('a secret that cannot be used is 500: the gateway sends the webhook again once it is mended', async () => {
  const { receive, errors } = setUp([paid], { secrets: 'whsec_short' })
  expect(await receive()).toBe(500)
  expect(String(errors[0])).toMatch(/at least 24 bytes/u)
})
