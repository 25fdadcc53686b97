import fc from 'fast-check'
import { createInFlightLimits, type InFlightLimits, type PlaceRequest } from './in-flight-limits.ts'

const lane = 'first_attempts' as const
const nowMs = () => 0
const endpoint = (merchantId: string, url = 'u'): PlaceRequest => ({ merchantId, url, lane })

function takeAll(limits: InFlightLimits, request: PlaceRequest): (() => void)[] {
  const places: (() => void)[] = []
  for (let place = limits.take(request); place; place = limits.take(request)) places.push(place)
  return places
}

test('an endpoint never has more than its places, and merchants do not share them', () => {
  const takes = fc.array(fc.record({ merchantId: fc.constantFrom('a', 'b'), url: fc.constantFrom('u', 'v'), back: fc.boolean() }))
  fc.assert(
    fc.property(takes, fc.integer({ min: 1, max: 4 }), (steps, maxPerEndpoint) => {
      const limits = createInFlightLimits({ maxPerEndpoint, laneSize: 1_000_000, nowMs })
      const held: { key: string; giveBack: () => void }[] = []
      for (const { merchantId, url, back } of steps) {
        const key = `${merchantId}/${url}`
        if (back) {
          const giveBack = held.pop()?.giveBack
          giveBack?.()
          giveBack?.()
        }
        const before = held.filter((entry) => entry.key === key).length
        const giveBack = limits.take({ merchantId, url, lane })
        expect(giveBack !== undefined).toBe(before < maxPerEndpoint)
        if (giveBack) held.push({ key, giveBack })
        expect(limits.total).toBe(held.length)
      }
    }),
  )
})

test('many URLs of one merchant do not take the places of the others', () => {
  const limits = createInFlightLimits({ maxPerEndpoint: 20, laneSize: 1_000_000, nowMs })
  const held = Array.from({ length: 30 }, (_, index) => takeAll(limits, endpoint('a', `u${index}`)))
  expect(held.flat()).toHaveLength(40)
  expect(takeAll(limits, endpoint('b', 'u1'))).toHaveLength(20)
})

test('however many endpoints begin to hang at once, each holds what it may and another still gets a place', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 150 }), fc.integer({ min: 1, max: 50 }), (hanging, maxPerEndpoint) => {
      const limits = createInFlightLimits({ maxPerEndpoint, laneSize: 200, nowMs })
      for (let round = 0; round < maxPerEndpoint; round++) {
        for (let index = 0; index < hanging; index++) limits.take(endpoint(`hangs${index}`))
      }
      expect(limits.take(endpoint('works'))).toBeDefined()
    }),
  )
})

test('ten endpoints that hang leave half of the places to the others', () => {
  const limits = createInFlightLimits({ maxPerEndpoint: 20, laneSize: 200, nowMs })
  for (let round = 0; round < 20; round++) for (let index = 0; index < 10; index++) limits.take(endpoint(`hangs${index}`))
  expect(limits.total).toBeLessThanOrEqual(110)
  expect(takeAll(limits, endpoint('works')).length).toBeGreaterThanOrEqual(5)
})

test('alone, an endpoint gets all that it may have', () => {
  expect(
    takeAll(createInFlightLimits({ maxPerEndpoint: 20, laneSize: 200, nowMs }), endpoint('a')).length,
  ).toBeGreaterThanOrEqual(18)
})

test('endpoints whose latest result was a failure share a quarter of the lane, however many they are', () => {
  const limits = createInFlightLimits({ maxPerEndpoint: 20, laneSize: 200, nowMs })
  for (let index = 0; index < 500; index++) limits.take({ ...endpoint(`failed${index}`), suspect: true })
  expect(limits.total).toBe(50)
  expect(limits.take(endpoint('works'))).toBeDefined()
  expect(limits.take({ ...endpoint('failed'), lane: 'retries', suspect: true })).toBeDefined()
})

test('one lane that is full leaves the other alone', () => {
  const limits = createInFlightLimits({ maxPerEndpoint: 5, laneSize: 10, nowMs })
  for (let index = 0; index < 50; index++) takeAll(limits, endpoint(`hangs${index}`))
  expect(limits.take(endpoint('works'))).toBeUndefined()
  expect(limits.take({ ...endpoint('works'), lane: 'retries' })).toBeDefined()
})

test('one that is recovering has the places of its breaker', () => {
  const limits = createInFlightLimits({ maxPerEndpoint: 20, laneSize: 200, nowMs })
  expect(takeAll(limits, { ...endpoint('a'), places: 3 })).toHaveLength(3)
})

test('who waits for a place of an endpoint is told when one is given back, in order, each place to one', async () => {
  const limits = createInFlightLimits({ maxPerEndpoint: 2, laneSize: 100, nowMs })
  const places = takeAll(limits, endpoint('a'))
  const told: string[] = []
  const waiting = ['first', 'second'].map(async (name) => {
    expect(await limits.freed(endpoint('a'), 60_000)).toBe(true)
    told.push(name)
  })
  const other = limits.take(endpoint('b'))
  other?.()
  places[0]?.()
  places[0]?.()
  await waiting[0]
  expect(told).toEqual(['first'])
  places[1]?.()
  await waiting[1]
  expect(told).toEqual(['first', 'second'])
})

test('nobody waits for longer than it would, and half of a lane at most', async () => {
  const limits = createInFlightLimits({ maxPerEndpoint: 1, laneSize: 4, nowMs })
  const hanging = ['a', 'b'].map((name) => takeAll(limits, endpoint(name)))
  const two = [limits.freed(endpoint('a'), 60_000), limits.freed(endpoint('b'), 60_000)]
  expect(await limits.freed(endpoint('c'), 60_000)).toBe(false)
  expect(await limits.freed({ ...endpoint('a'), lane: 'retries' }, 1)).toBe(false)
  for (const [giveBack] of hanging) giveBack?.()
  expect(await Promise.all(two)).toEqual([true, true])
  // The lane is free again.
  takeAll(limits, endpoint('d'))
  const again = limits.freed(endpoint('a'), 60_000)
  const [place] = takeAll(limits, endpoint('a'))
  place?.()
  expect(await again).toBe(true)
})

test('for one endpoint as many wait as are on their way to it', async () => {
  const limits = createInFlightLimits({ maxPerEndpoint: 10, laneSize: 1000, nowMs })
  const places = takeAll(limits, endpoint('busy'))
  expect(places).toHaveLength(10)
  const waiting = places.map(() => limits.freed(endpoint('busy'), 60_000))
  expect(await limits.freed(endpoint('busy'), 60_000)).toBe(false)
  for (const giveBack of places) giveBack()
  expect(await Promise.all(waiting)).toEqual(places.map(() => true))
})

test('an endpoint that gave nothing back is not waited for until it does; four may always wait for one', async () => {
  const limits = createInFlightLimits({ maxPerEndpoint: 1, laneSize: 1000, nowMs })
  const [giveBack] = takeAll(limits, endpoint('hangs'))
  expect(await limits.freed(endpoint('hangs'), 1)).toBe(false)
  expect(await limits.freed(endpoint('hangs'), 60_000)).toBe(false)
  giveBack?.()
  const [place] = takeAll(limits, endpoint('hangs'))
  const few = Array.from({ length: 4 }, () => limits.freed(endpoint('hangs'), 50))
  expect(await limits.freed(endpoint('hangs'), 60_000)).toBe(false)
  place?.()
  expect(await Promise.all(few)).toEqual([true, false, false, false])
})

test('how long an endpoint keeps all that it has begins with its first place, and again with each that it gives back', () => {
  const clock = { ms: 1000 }
  const limits = createInFlightLimits({ maxPerEndpoint: 3, laneSize: 1000, nowMs: () => clock.ms })
  const keeps = () => limits.keepsAllForMs(endpoint('a'))
  expect(keeps()).toBe(0)
  const first = limits.take(endpoint('a'))
  clock.ms = 1400
  const second = limits.take(endpoint('a'))
  limits.take(endpoint('b'))?.()
  expect(keeps()).toBe(400)
  first?.()
  clock.ms = 1500
  expect(keeps()).toBe(100)
  // A place that was given back already says nothing.
  first?.()
  expect(keeps()).toBe(100)
  second?.()
  clock.ms = 2000
  expect(keeps()).toBe(0)
})
