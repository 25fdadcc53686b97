import { randomUUID } from 'node:crypto'
import { tryLock, withLock } from './lock.ts'

test('one holder at a time', async () => {
  const name = randomUUID()
  const first = await tryLock(name)
  expect(first).toBeDefined()
  await expect(tryLock(name)).resolves.toBeUndefined()

  first?.release()
  const second = await tryLock(name)
  expect(second).toBeDefined()
  second?.release()
})

test('waiting processes continue one after the other when the lock is released', async () => {
  const name = randomUUID()
  let inside = 0
  const seen: number[] = []
  const work = async (): Promise<void> => {
    seen.push(++inside)
    await new Promise(setImmediate)
    inside--
  }
  await Promise.all([1, 2, 3, 4, 5].map(async () => withLock(name, work)))

  expect(seen).toEqual([1, 1, 1, 1, 1])
})
