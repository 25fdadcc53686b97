import { mongo } from 'mongoose'
import { retryDeadlocks } from './commands.ts'

const deadlock = () => new mongo.MongoServerError({ message: 'deadlock detected', code: 16908292 })
/** Fails with each of these in turn, then writes. */
function failing(...errors: Error[]) {
  let calls = 0
  const write = () => {
    const error = errors[calls++]
    return error ? Promise.reject(error) : Promise.resolve('written')
  }
  return { write, calls: () => calls }
}

test('a deadlock is tried again, until the write is through', async () => {
  const { write, calls } = failing(deadlock(), deadlock())
  expect(await retryDeadlocks(write)).toBe('written')
  expect(calls()).toBe(3)
})

test('five deadlocks in a row are enough', async () => {
  const { write, calls } = failing(...Array.from({ length: 9 }, deadlock))
  await expect(retryDeadlocks(write)).rejects.toThrow('deadlock detected')
  expect(calls()).toBe(5)
})

test('any other failure is not tried again, whatever its words', async () => {
  const { write, calls } = failing(new Error('deadlock detected'))
  await expect(retryDeadlocks(write)).rejects.toThrow()
  expect(calls()).toBe(1)
})
