import { randomBytes } from 'node:crypto'
import { formatSigningSecret } from '@gateway/contracts'
import { createReceiver, memoryStore, sign, TimeoutError, type ReceiverOptions, type ReceiverStore } from '@gateway/sdk'
import { fakeGateway, json } from './fake.ts'

const secret = formatSigningSecret(randomBytes(32))
const body = JSON.stringify({ txnid: 'T1', merchantTxnId: 'ORD-1', status: 'Success', amount: '499.00' })
const paid = json(200, {
  data: { order: { order_id: 'ORD-1' }, transaction: { id: 'T1', status: 'Success', sequence: 3 } },
  checkout: null,
})
const EVENT_KEY = 'gateway:event:evt_3'

// WebCrypto ends in the event loop, so `until` needs the real setImmediate.
beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] }))
afterEach(() => void jest.useRealTimers())

async function until(isReached: () => boolean): Promise<void> {
  while (!isReached()) await new Promise(setImmediate)
}

/** One process of the merchant. Its handler ends when the test says so. */
function startProcess(store: ReceiverStore, options: Partial<ReceiverOptions> = {}) {
  const errors: unknown[] = []
  const handlers: ReturnType<typeof Promise.withResolvers<undefined>>[] = []
  const receiver = createReceiver({
    gateway: fakeGateway([paid]).gateway,
    secrets: secret,
    store,
    onFinal() {
      const handler = Promise.withResolvers<undefined>()
      handlers.push(handler)
      return handler.promise
    },
    onError: (error) => errors.push(error),
    ...options,
  })
  const receive = async () => receiver.handle(body, { ...(await sign(body, secret, { id: 'evt_3' })), 'webhook-sequence': '3' })
  return { receive, handlers, errors }
}

/** A connection to the store that can be cut. */
function connectionTo(store: ReceiverStore) {
  const connection = { isCut: false }
  const whileConnected = <T>(call: () => Promise<T>): Promise<T> =>
    connection.isCut ? Promise.reject(new Error('the store is away')) : call()
  const connected: ReceiverStore = {
    get: (...given) => whileConnected(() => store.get(...given)),
    replace: (...given) => whileConnected(() => store.replace(...given)),
  }
  return { connection, connected }
}

// Proves: sdk/receiver-renews-its-claim
test('a handler of ten minutes keeps its claim: the other process does not handle the event', async () => {
  const store = memoryStore()
  const [one, other] = [startProcess(store), startProcess(store)]
  const first = one.receive()
  await until(() => one.handlers.length === 1)
  for (let minute = 0; minute < 10; minute++) {
    await jest.advanceTimersByTimeAsync(60_000)
    expect(await other.receive()).toBe(500)
  }
  one.handlers[0]?.resolve(undefined)
  expect(await first).toBe(200)
  expect(await other.receive()).toBe(200)
  expect(other.handlers).toEqual([])
  expect(jest.getTimerCount()).toBe(0)
})

test('a handler that never ends is given up after an hour', async () => {
  const store = memoryStore()
  const [one, other] = [startProcess(store), startProcess(store)]
  const first = one.receive()
  await until(() => one.handlers.length === 1)
  await jest.advanceTimersByTimeAsync(3_600_000)
  expect(await other.receive()).toBe(500)
  await jest.advanceTimersByTimeAsync(60_000)
  const second = other.receive()
  await until(() => other.handlers.length === 1)
  for (const { resolve } of [...one.handlers, ...other.handlers]) resolve(undefined)
  expect(await Promise.all([first, second])).toEqual([200, 200])
})

// Proves: sdk/receiver-releases-only-its-own-claim
test.each([
  ['its claim', false],
  ['its result', true],
])('a handler that fails after another process took the event leaves that process %s', async (_name, isDone) => {
  const store = memoryStore()
  const { connection, connected } = connectionTo(store)
  const [one, other, third] = [startProcess(connected), startProcess(store), startProcess(store)]
  const first = one.receive()
  await until(() => one.handlers.length === 1)
  connection.isCut = true
  await jest.advanceTimersByTimeAsync(61_000)
  const second = other.receive()
  await until(() => other.handlers.length === 1)
  connection.isCut = false
  // The renewals go on and leave the other process's claim.
  await jest.advanceTimersByTimeAsync(20_000)
  if (isDone) other.handlers[0]?.resolve(undefined)
  if (isDone) expect(await second).toBe(200)
  const before = await store.get(EVENT_KEY)
  one.handlers[0]?.reject(new Error('the warehouse is closed'))
  expect(await first).toBe(500)
  expect(one.errors.map(String)).toEqual(['Error: the warehouse is closed'])
  expect(await store.get(EVENT_KEY)).toBe(before)
  expect(await third.receive()).toBe(isDone ? 200 : 500)
  expect(third.handlers).toEqual([])
  other.handlers[0]?.resolve(undefined)
  expect(await second).toBe(200)
})

test('a handler that fails is reported, also when the store cannot release the claim', async () => {
  const { connection, connected } = connectionTo(memoryStore())
  const one = startProcess(connected)
  const first = one.receive()
  await until(() => one.handlers.length === 1)
  connection.isCut = true
  one.handlers[0]?.reject(new Error('the warehouse is closed'))
  expect(await first).toBe(500)
  expect(one.errors.map(String)).toEqual(['Error: the warehouse is closed'])
})

// Proves: sdk/receiver-keeps-results
test('a store that fails once after the handler: the result is stored, and nothing is handled again', async () => {
  const store = memoryStore()
  let failures = 1
  const flaky: ReceiverStore = {
    ...store,
    replace: (key, seen, value, seconds) =>
      value === 'done' && failures-- > 0
        ? Promise.reject(new Error('the store is away'))
        : store.replace(key, seen, value, seconds),
  }
  let calls = 0
  const { receive, errors } = startProcess(flaky, { onFinal: () => void (calls += 1) })
  const first = receive()
  await until(() => failures < 1)
  await new Promise(setImmediate)
  await jest.advanceTimersByTimeAsync(2000)
  expect(await first).toBe(200)
  expect(await store.get(EVENT_KEY)).toBe('done')
  expect(await store.get('gateway:sequence:T1')).toBe('3')
  expect([await receive(), calls, errors]).toEqual([200, 1, []])
})

test('a store that stays away after the handler: 200, so that the gateway does not send it again, and one report', async () => {
  const { connection, connected } = connectionTo(memoryStore())
  const one = startProcess(connected)
  const first = one.receive()
  await until(() => one.handlers.length === 1)
  connection.isCut = true
  one.handlers[0]?.resolve(undefined)
  await new Promise(setImmediate)
  await jest.advanceTimersByTimeAsync(5000)
  expect(await first).toBe(200)
  expect(one.errors.map(String)).toEqual(['Error: the store is away'])
})

// Proves: sdk/receiver-bounds-the-search
test('a search that is not answered ends after 20 s and releases the claim', async () => {
  const store = memoryStore()
  let searches = 0
  const hanging = (): Promise<Response> => {
    searches += 1
    return new Promise(() => undefined)
  }
  const one = startProcess(store, { gateway: fakeGateway([paid], { fetch: hanging }).gateway })
  const first = one.receive()
  await until(() => searches === 1)
  await jest.advanceTimersByTimeAsync(20_000)
  expect(await first).toBe(500)
  expect(one.errors).toEqual([expect.any(TimeoutError)])
  expect(one.handlers).toEqual([])
  expect(await store.get(EVENT_KEY)).toMatch(/^0 /u)
})
