import { createKeyedQueue, createRollingWindow, type RollingWindowOptions } from './bounded-work.ts'

const tick = () => new Promise((resolve) => setImmediate(resolve))

test('work of one key runs in order, of other keys at once, and a failure does not stop the next', async () => {
  const inOrder = createKeyedQueue()
  const log: string[] = []
  const step =
    (name: string, fails = false) =>
    async () => {
      log.push(`${name} begins`)
      await tick()
      log.push(`${name} ends`)
      if (fails) throw new Error(name)
      return name
    }
  const results = await Promise.allSettled([inOrder('a', step('a1', true)), inOrder('a', step('a2')), inOrder('b', step('b1'))])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
  expect(log.indexOf('a2 begins')).toBeGreaterThan(log.indexOf('a1 ends'))
  expect(log.indexOf('b1 begins')).toBeLessThan(log.indexOf('a1 ends'))
})

test('too much waiting work is refused, and the key is free again afterwards', async () => {
  const inOrder = createKeyedQueue(1)
  const gate = Promise.withResolvers<number>()
  const first = inOrder('a', () => gate.promise)
  const second = inOrder('a', async () => 2)
  await expect(inOrder('a', async () => 3)).rejects.toMatchObject({ code: 'contention' })
  gate.resolve(1)
  await first
  expect(await second).toBe(2)
  expect(await inOrder('a', async () => 4)).toBe(4)
})

function windowOf(options: Partial<RollingWindowOptions> = {}) {
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const calls = createRollingWindow({
    maxRunning: 2,
    maxWaiting: 2,
    maxWaitMs: 1000,
    now: () => new Date(0),
    onFailure: () => undefined,
    ...options,
  })
  const add = (key: string, name = key) =>
    calls.add(key, () => {
      started.push(name)
      return new Promise((resolve) => ends.set(name, resolve))
    })
  const end = async (name: string) => {
    ends.get(name)?.()
    await tick()
  }
  return { calls, add, end, started }
}

test('at most so many run at once; the others start in order as soon as one ends', async () => {
  const { add, end, started } = windowOf()
  expect(['a', 'b', 'c', 'd', 'e'].map((key) => add(key))).toEqual([true, true, true, true, false])
  expect(started).toEqual(['a', 'b'])
  await end('b')
  expect(started).toEqual(['a', 'b', 'c'])
})

test('a key that runs is refused', () => {
  const { add } = windowOf()
  expect([add('a'), add('a')]).toEqual([true, false])
})

// Proves: refunds/requested-during-a-call
test('with `again`, work whose key runs starts once when that has ended, and delays no other key', async () => {
  const { add, end, started } = windowOf({ again: true })
  expect([add('a', 'a1'), add('a', 'a2'), add('a', 'a3'), add('b')]).toEqual([true, true, false, true])
  expect(started).toEqual(['a1', 'b'])
  await end('a1')
  expect(started).toEqual(['a1', 'b', 'a2'])
})

test('work that has waited for too long is forgotten, and nothing starts after the stop', async () => {
  let nowMs = 0
  const { calls, add, end, started } = windowOf({ maxRunning: 1, now: () => new Date(nowMs) })
  add('a')
  add('b')
  nowMs = 1001
  await end('a')
  expect(started).toEqual(['a'])
  add('c')
  add('d')
  const stopped = calls.stop()
  await end('c')
  await stopped
  expect([started, add('e')]).toEqual([['a', 'c'], false])
})
