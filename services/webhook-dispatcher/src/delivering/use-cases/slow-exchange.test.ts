import { setImmediate } from 'node:timers/promises'
import { makeIsSlow } from './slow-exchange.ts'

const never = new Promise(() => undefined)

test('a running exchange is slow; a finished one is not, even when it failed', async () => {
  const isSlow = makeIsSlow({ slowAfterMs: 1, limit: { hasRoom: () => true } })
  expect(await isSlow(never, 'first_attempts')).toBe(true)
  expect(await isSlow(Promise.resolve(), 'first_attempts')).toBe(false)
  expect(await isSlow(Promise.reject(new Error('reset')), 'retries')).toBe(false)
})

test('while there is no room a slow exchange keeps its message, and it is asked for again later', async () => {
  const answers = [false, false, true]
  const asked: string[] = []
  const hasRoom = (priority: string): boolean => {
    asked.push(priority)
    return answers.shift() ?? false
  }
  const isSlow = makeIsSlow({ slowAfterMs: 1, limit: { hasRoom } })
  expect(await isSlow(never, 'retries')).toBe(true)
  expect(asked).toEqual(['retries', 'retries', 'retries'])
})

test('nothing is asked any more once the exchange is over', async () => {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  let asked = 0
  const isSlow = makeIsSlow({
    slowAfterMs: 1,
    limit: {
      hasRoom() {
        asked += 1
        resolve(undefined)
        return false
      },
    },
  })
  expect(await isSlow(promise, 'retries')).toBe(false)
  await setImmediate()
  expect(asked).toBe(1)
})
