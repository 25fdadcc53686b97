import { Unavailable } from '@gateway/contracts'
import { createConnectorCapabilities, createFindDowntimes } from './connector.ts'

const unavailable = (reason: string) => new Unavailable('network_unavailable', reason)

/** A connector whose answers a test sets, and a clock. */
function connector() {
  const state = { asked: [] as string[], nowMs: 0, logged: [] as string[], answer: { status: 200, data: {} as unknown } }
  const client = {
    get: (path: string) => {
      state.asked.push(path)
      return state.answer.status === 0 ? Promise.reject(unavailable('ECONNREFUSED')) : Promise.resolve(state.answer)
    },
    unavailable,
  }
  const now = () => new Date(state.nowMs)
  const log = { warn: (message: string) => void state.logged.push(message) }
  return { state, client, now, capabilities: createConnectorCapabilities(client, { now, log }) }
}

// Proves: connector/capabilities-are-refreshed
test('an answer is used for 30 s, and concurrent callers share one request', async () => {
  const { state, capabilities } = connector()
  expect(capabilities.latest()).toBeUndefined()
  state.answer = { status: 200, data: { contract: 1, downtimes: true } }
  const [one, other] = await Promise.all([capabilities.find(), capabilities.find()])
  expect([one, other, capabilities.latest()]).toEqual(Array(3).fill({ contract: 1, downtimes: true }))
  state.answer = { status: 200, data: { contract: 1 } }
  state.nowMs = 29_999
  expect(await capabilities.find()).toEqual({ contract: 1, downtimes: true })
  state.nowMs = 30_000
  expect(await capabilities.find()).toEqual({ contract: 1 })
  expect(state.asked).toEqual(['/network/v1/capabilities', '/network/v1/capabilities'])
})

// Proves: connector/away-changes-nothing
test('while the connector is away its last answer stays, which is logged once', async () => {
  const { state, capabilities } = connector()
  state.answer = { status: 0, data: {} }
  await expect(capabilities.find()).rejects.toMatchObject({ code: 'network_unavailable' })
  state.answer = { status: 200, data: { contract: 1, downtimes: true } }
  await capabilities.find()
  for (const data of ['broken', { contract: 'two' }]) {
    state.answer = { status: 200, data }
    state.nowMs += 60_000
    expect(await capabilities.find()).toEqual({ contract: 1, downtimes: true })
  }
  expect(state.logged).toEqual(['capabilities lookup failed', 'capabilities lookup failed'])
})

test('downtimes are asked only from a connector that has the capability, once in the time that they are kept', async () => {
  const { state, client, now } = connector()
  const down = [{ method: 'upi', severity: 'high', began_at: '2026-01-01T00:00:00Z' }]
  let has = false
  const capabilities = { find: () => Promise.resolve({ contract: 1, downtimes: has }) }
  const find = createFindDowntimes(client, { capabilities, keptMs: 15_000, now })
  state.answer = { status: 200, data: down }
  expect(await find()).toEqual([])
  expect(state.asked).toEqual([])
  has = true
  state.nowMs = 15_000
  expect(await Promise.all([find(), find()])).toEqual([down, down])
  expect(await find()).toEqual(down)
  expect(state.asked).toEqual(['/network/v1/downtimes'])
})

test.each([
  [0, []],
  [500, []],
  [200, { downtimes: [] }],
  [200, [{ method: 'cash', severity: 'high', began_at: '2026-01-01T00:00:00Z' }]],
])('an unusable answer about downtimes is no answer: status %i, %j', async (status, data) => {
  const { state, client, now } = connector()
  const capabilities = { find: () => Promise.resolve({ contract: 1, downtimes: true }) }
  const find = createFindDowntimes(client, { capabilities, keptMs: 15_000, now })
  state.answer = { status, data }
  await expect(find()).rejects.toBeInstanceOf(Unavailable)
})

const capabilities = { find: async () => ({ contract: 1, downtimes: true }) as const }
const down = (instrument?: string | null) => ({
  ...{ method: 'netbanking', severity: 'high', began_at: '2026-11-21T10:00:00Z' },
  ...(instrument !== undefined && { instrument }),
})

function find(...list: object[]) {
  const client = {
    get: async () => ({ status: 200, data: list }),
    unavailable: (reason: string) => new Unavailable('network_unavailable', reason),
  }
  return createFindDowntimes(client, { capabilities, keptMs: 0, now: () => new Date() })()
}

// Proves: faults/acquirer-text-holds-no-card
test('a downtime whose instrument holds a card number is left out; the others stay as they are', async () => {
  const others = [down(), down(null), down('HDFC'), down('okhdfcbank')]
  for (const written of ['4111111111111111', 'card 4111 1111 1111 1111', '४१११११११११११११११'])
    expect(await find(down(written), ...others)).toEqual(others)
})
