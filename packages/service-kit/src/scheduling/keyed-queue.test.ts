import { createKeyedQueue } from './keyed-queue.ts'

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
