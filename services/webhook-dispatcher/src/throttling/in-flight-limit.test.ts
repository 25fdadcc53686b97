import fc from 'fast-check'
import { createInFlightLimit, type InFlightLimit, type ReleaseSlot, type SlotRequest } from './in-flight-limit.ts'

const priority = 'first_attempts' as const
const nowMs = () => 0
const endpoint = (endpointId: string, url = 'u'): SlotRequest => ({ endpointId, url, priority })

function acquireAll(limit: InFlightLimit, request: SlotRequest): ReleaseSlot[] {
  const slots: ReleaseSlot[] = []
  for (let release = limit.tryAcquire(request); release; release = limit.tryAcquire(request)) slots.push(release)
  return slots
}

// Proves: webhooks/hanging-endpoint-slows-no-others
test('an endpoint never uses more than its slots, and merchants do not share them', () => {
  const requests = fc.array(
    fc.record({ endpointId: fc.constantFrom('a', 'b'), url: fc.constantFrom('u', 'v'), isRelease: fc.boolean() }),
  )
  fc.assert(
    fc.property(requests, fc.integer({ min: 1, max: 4 }), (steps, maxPerEndpoint) => {
      const limit = createInFlightLimit({ maxPerEndpoint, slotsPerPriority: 1_000_000, nowMs })
      const held: { key: string; release: () => void }[] = []
      for (const { endpointId, url, isRelease } of steps) {
        const key = `${endpointId}/${url}`
        if (isRelease) {
          const release = held.pop()?.release
          release?.()
          release?.()
        }
        const before = held.filter((entry) => entry.key === key).length
        const release = limit.tryAcquire({ endpointId, url, priority })
        expect(release !== undefined).toBe(before < maxPerEndpoint)
        if (release) held.push({ key, release })
        expect(limit.total).toBe(held.length)
      }
    }),
  )
})

// Proves: webhooks/hanging-endpoint-slows-no-others
test('many URLs of one merchant do not take the slots of others', () => {
  const limit = createInFlightLimit({ maxPerEndpoint: 20, slotsPerPriority: 1_000_000, nowMs })
  const held = Array.from({ length: 30 }, (_, index) => acquireAll(limit, endpoint('a', `u${index}`)))
  expect(held.flat()).toHaveLength(40)
  expect(acquireAll(limit, endpoint('b', 'u1'))).toHaveLength(20)
})

// Proves: webhooks/hanging-endpoint-slows-no-others
test('when many endpoints hang at once, each uses its limit and another still gets a slot', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 150 }), fc.integer({ min: 1, max: 50 }), (hanging, maxPerEndpoint) => {
      const limit = createInFlightLimit({ maxPerEndpoint, slotsPerPriority: 200, nowMs })
      for (let round = 0; round < maxPerEndpoint; round++) {
        for (let index = 0; index < hanging; index++) limit.tryAcquire(endpoint(`hangs${index}`))
      }
      expect(limit.tryAcquire(endpoint('works'))).toBeDefined()
    }),
  )
})

test('ten hanging endpoints leave half of the slots to the others', () => {
  const limit = createInFlightLimit({ maxPerEndpoint: 20, slotsPerPriority: 200, nowMs })
  for (let round = 0; round < 20; round++) for (let index = 0; index < 10; index++) limit.tryAcquire(endpoint(`hangs${index}`))
  expect(limit.total).toBeLessThanOrEqual(110)
  expect(acquireAll(limit, endpoint('works')).length).toBeGreaterThanOrEqual(5)
})

test('alone, an endpoint gets its full limit', () => {
  expect(
    acquireAll(createInFlightLimit({ maxPerEndpoint: 20, slotsPerPriority: 200, nowMs }), endpoint('a')).length,
  ).toBeGreaterThanOrEqual(18)
})

// Proves: webhooks/hanging-endpoint-slows-no-others
test('all endpoints whose latest result was a failure share a quarter of the slots of a priority', () => {
  const limit = createInFlightLimit({ maxPerEndpoint: 20, slotsPerPriority: 200, nowMs })
  for (let index = 0; index < 500; index++) limit.tryAcquire({ ...endpoint(`failed${index}`), failing: true })
  expect(limit.total).toBe(50)
  expect(limit.tryAcquire(endpoint('works'))).toBeDefined()
  expect(limit.tryAcquire({ ...endpoint('failed'), priority: 'retries', failing: true })).toBeDefined()
})

test('a priority without free slots does not affect the other', () => {
  const limit = createInFlightLimit({ maxPerEndpoint: 5, slotsPerPriority: 10, nowMs })
  for (let index = 0; index < 50; index++) acquireAll(limit, endpoint(`hangs${index}`))
  expect(limit.tryAcquire(endpoint('works'))).toBeUndefined()
  expect(limit.tryAcquire({ ...endpoint('works'), priority: 'retries' })).toBeDefined()
})

test('a recovering endpoint has the slots that its breaker allows', () => {
  const limit = createInFlightLimit({ maxPerEndpoint: 20, slotsPerPriority: 200, nowMs })
  expect(acquireAll(limit, { ...endpoint('a'), maxSlots: 3 })).toHaveLength(3)
})

test('a caller that waits for an endpoint is woken when a slot is released, in order, one caller per slot', async () => {
  const limit = createInFlightLimit({ maxPerEndpoint: 2, slotsPerPriority: 100, nowMs })
  const slots = acquireAll(limit, endpoint('a'))
  const told: string[] = []
  const waiting = ['first', 'second'].map(async (name) => {
    expect(await limit.whenReleased(endpoint('a'), 60_000)).toBe(true)
    told.push(name)
  })
  const other = limit.tryAcquire(endpoint('b'))
  other?.()
  slots[0]?.()
  slots[0]?.()
  await waiting[0]
  expect(told).toEqual(['first'])
  slots[1]?.()
  await waiting[1]
  expect(told).toEqual(['first', 'second'])
})

// Proves: webhooks/attempts-over-the-limit-are-delayed
test('a wait ends after its time, and at most half of the slots of a priority may wait', async () => {
  const limit = createInFlightLimit({ maxPerEndpoint: 1, slotsPerPriority: 4, nowMs })
  const hanging = ['a', 'b'].map((name) => acquireAll(limit, endpoint(name)))
  const two = [limit.whenReleased(endpoint('a'), 60_000), limit.whenReleased(endpoint('b'), 60_000)]
  expect(await limit.whenReleased(endpoint('c'), 60_000)).toBe(false)
  expect(await limit.whenReleased({ ...endpoint('a'), priority: 'retries' }, 1)).toBe(false)
  for (const [release] of hanging) release?.()
  expect(await Promise.all(two)).toEqual([true, true])
  // Waiting is possible again.
  acquireAll(limit, endpoint('d'))
  const again = limit.whenReleased(endpoint('a'), 60_000)
  const [release] = acquireAll(limit, endpoint('a'))
  release?.()
  expect(await again).toBe(true)
})

test('for one endpoint at most as many callers wait as it has slots in use', async () => {
  const limit = createInFlightLimit({ maxPerEndpoint: 10, slotsPerPriority: 1000, nowMs })
  const slots = acquireAll(limit, endpoint('busy'))
  expect(slots).toHaveLength(10)
  const waiting = slots.map(() => limit.whenReleased(endpoint('busy'), 60_000))
  expect(await limit.whenReleased(endpoint('busy'), 60_000)).toBe(false)
  for (const release of slots) release()
  expect(await Promise.all(waiting)).toEqual(slots.map(() => true))
})

test('after a timeout no caller waits for the endpoint until it releases a slot; four may always wait', async () => {
  const limit = createInFlightLimit({ maxPerEndpoint: 1, slotsPerPriority: 1000, nowMs })
  const [release] = acquireAll(limit, endpoint('hangs'))
  expect(await limit.whenReleased(endpoint('hangs'), 1)).toBe(false)
  expect(await limit.whenReleased(endpoint('hangs'), 60_000)).toBe(false)
  release?.()
  const [releaseSecond] = acquireAll(limit, endpoint('hangs'))
  const few = Array.from({ length: 4 }, () => limit.whenReleased(endpoint('hangs'), 50))
  expect(await limit.whenReleased(endpoint('hangs'), 60_000)).toBe(false)
  releaseSecond?.()
  expect(await Promise.all(few)).toEqual([true, false, false, false])
})

test('the silence of an endpoint starts with its first slot, and again with each release', () => {
  const clock = { ms: 1000 }
  const limit = createInFlightLimit({ maxPerEndpoint: 3, slotsPerPriority: 1000, nowMs: () => clock.ms })
  const silentMs = () => limit.silentMs(endpoint('a'))
  expect(silentMs()).toBe(0)
  const first = limit.tryAcquire(endpoint('a'))
  clock.ms = 1400
  const second = limit.tryAcquire(endpoint('a'))
  limit.tryAcquire(endpoint('b'))?.()
  expect(silentMs()).toBe(400)
  first?.()
  clock.ms = 1500
  expect(silentMs()).toBe(100)
  // A second release of the same slot changes nothing.
  first?.()
  expect(silentMs()).toBe(100)
  second?.()
  clock.ms = 2000
  expect(silentMs()).toBe(0)
})
