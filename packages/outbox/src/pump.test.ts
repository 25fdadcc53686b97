import {
  BrokerUnavailable,
  MAYBE_PUBLISHED_HEADER,
  PublishRefused,
  type BrokerState,
  type OutgoingMessage,
} from '@gateway/messaging'
import { Backlog } from './backlog.ts'
import { createPump, type Pump } from './pump.ts'

const LONG_MS = 60_000
let started: Pump | undefined
// No timer outlives its test.
afterEach(() => void started?.finish())

const turn = () => new Promise((resolve) => setImmediate(resolve))

async function untilSent(sent: readonly string[], count: number): Promise<void> {
  for (const endsAt = Date.now() + 10_000; sent.length < count && Date.now() < endsAt;) await turn()
}

/** A pump whose broker confirms when told to. */
function startPump({ lingerMs, maxInFlight = 100 }: { lingerMs: number; maxInFlight?: number }) {
  const sent: string[] = []
  const confirms: (() => void)[] = []
  const refusals: ((error: Error) => void)[] = []
  const maybePublished: string[] = []
  const failed: string[] = []
  const publisher = {
    state: 'up' as BrokerState,
    onStateChange: () => () => undefined,
    publish: ({ messageId, headers }: OutgoingMessage) => {
      if (publisher.state !== 'up') return Promise.reject(new BrokerUnavailable('the broker is down'))
      return new Promise<void>((resolve, reject) => {
        sent.push(messageId)
        if (headers?.[MAYBE_PUBLISHED_HEADER] === true) maybePublished.push(messageId)
        confirms.push(resolve)
        refusals.push(reject)
      })
    },
  }
  const clear = () => Promise.resolve()
  const pump = createPump({
    ...{ publisher, exchange: 'events', backlog: new Backlog(), lingerMs, maxInFlight, clear },
    onFailure: ({ id }) => void failed.push(id),
  })
  started = pump
  const add = (id: string, maybePublished?: true) =>
    pump.add(id, {
      ...{ id, type: 'order.created', at: new Date(), correlation_id: id, body: '{}' },
      ...(maybePublished && { claim_first: maybePublished }),
    })
  return { pump, publisher, add, sent, maybePublished, confirms, refusals, failed }
}

test('without lingering an event is published at once', async () => {
  const { add, sent } = startPump({ lingerMs: 0 })
  void add('1')
  await turn()
  expect(sent).toEqual(['1'])
})

test('a few are published together, in order, once the first has waited', async () => {
  const { add, sent, confirms } = startPump({ lingerMs: 300 })
  const done = [add('1'), add('2'), add('3')]
  await turn()
  expect(sent).toEqual([])
  await untilSent(sent, 3)
  expect(sent).toEqual(['1', '2', '3'])
  for (const confirm of confirms) confirm()
  expect(await Promise.all(done)).toEqual([true, true, true])
})

test('many wait for nobody', async () => {
  const { add, sent } = startPump({ lingerMs: LONG_MS })
  for (let index = 0; index < 7; index++) void add(String(index))
  await turn()
  expect(sent).toEqual([])
  void add('7')
  await turn()
  expect(sent).toHaveLength(8)
})

test('a confirm makes room for what waits for room, and does not hurry what lingers', async () => {
  const { add, sent, confirms } = startPump({ lingerMs: LONG_MS, maxInFlight: 10 })
  for (let index = 0; index < 16; index++) void add(String(index))
  await turn()
  expect(sent).toHaveLength(10)
  for (const confirm of confirms.splice(0, 10)) confirm()
  await turn()
  expect(sent).toHaveLength(16)
  void add('lingers')
  for (const confirm of confirms.splice(0, 6)) confirm()
  await turn()
  expect(sent).toHaveLength(16)
})

test('what a sweep has found does not linger', async () => {
  const { add, sent } = startPump({ lingerMs: LONG_MS })
  void add('1', true)
  await turn()
  expect(sent).toEqual(['1'])
})

test('who waits until there is nothing left waits for no lingering', async () => {
  const { pump, add, sent, confirms } = startPump({ lingerMs: LONG_MS })
  const done = add('1')
  const idle = pump.finish()
  await turn()
  expect(sent).toEqual(['1'])
  confirms[0]?.()
  await idle
  expect(await done).toBe(true)
})

test('what was never sent waits for a broker that is away; what a sweep has found is left to the next one', async () => {
  const { pump, publisher, add, sent, confirms, failed } = startPump({ lingerMs: LONG_MS })
  const done = Array.from({ length: 8 }, (_, index) => add(String(index)))
  await turn()
  publisher.state = 'down'
  const late = add('lingers')
  expect(await add('swept', true)).toBe(false)
  expect(failed).toEqual(['swept'])

  publisher.state = 'up'
  pump.resume()
  await turn()
  for (const confirm of confirms) confirm()
  expect(await Promise.all([...done, late])).not.toContain(false)
  expect(sent).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', 'lingers'])
})

test('what was on its way when the broker left is sent again a second after it is back, once, as maybe published', async () => {
  const { pump, publisher, add, sent, maybePublished, confirms, refusals, failed } = startPump({ lingerMs: 0, maxInFlight: 3 })
  const done = ['1', '2', '3', '4'].map((id) => add(id))
  const swept = add('swept', true)
  await turn()
  confirms[0]?.()
  await turn()
  // Its neighbours are told before the publisher is.
  for (const refuse of refusals.splice(1)) refuse(new BrokerUnavailable('the broker left before it confirmed'))
  await turn()
  for (const refuse of refusals.splice(1)) refuse(new BrokerUnavailable('the broker left before it confirmed'))
  publisher.state = 'down'
  await turn()
  expect(await swept).toBe(false)
  expect([failed, pump.waiting]).toEqual([['swept'], 3])

  sent.length = 0
  maybePublished.length = 0
  publisher.state = 'up'
  pump.resume()
  await turn()
  // What arrived has its time to be handled.
  expect(sent).toEqual([])
  await untilSent(sent, 3)
  for (const confirm of confirms) confirm()
  expect(await Promise.all(done)).toEqual([true, true, true, true])
  expect([sent, maybePublished, failed]).toEqual([['2', '3', '4'], ['2', '3', '4'], ['swept']])
})

test('what could not be sent a second time either is left to the sweep', async () => {
  const { pump, add, sent, refusals, failed } = startPump({ lingerMs: 0 })
  const done = add('1')
  const left = new BrokerUnavailable('the broker left before it confirmed')
  await turn()
  refusals[0]?.(left)
  await turn()
  expect(failed).toEqual([])
  pump.resume()
  await untilSent(sent, 2)
  refusals[1]?.(left)
  expect(await done).toBe(false)
  expect([failed, pump.size]).toEqual([['1'], 0])
})

test('what the broker has refused is left to the sweep', async () => {
  const { pump, add, refusals, failed } = startPump({ lingerMs: 0 })
  const done = add('1')
  await turn()
  refusals[0]?.(new PublishRefused('a queue refused the message'))
  expect(await done).toBe(false)
  expect([failed, pump.size]).toEqual([['1'], 0])
})

test('at the end nothing waits for a broker that is away', async () => {
  const { pump, publisher, add, failed } = startPump({ lingerMs: LONG_MS, maxInFlight: 1 })
  publisher.state = 'down'
  const done = [add('1'), add('2')]
  await pump.finish()
  expect(await Promise.all(done)).toEqual([false, false])
  expect(failed).toEqual(['1', '2'])
})
