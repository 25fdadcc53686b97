import { mongo } from 'mongoose'
import { untilDatabaseAnswers } from './database.ts'

const notPrimary = () => new mongo.MongoServerError({ message: 'not primary', code: 10107 })

// Proves: faults/start-survives-a-failover
test('a step is done again while the database is away, and the log says why', async () => {
  const warned: unknown[] = []
  const log = { warn: (message: string, fields?: object) => void warned.push([message, fields]) }
  const failures: Error[] = [notPrimary(), new mongo.MongoNetworkError('connection closed')]
  const step = () => {
    const failure = failures.shift()
    return failure ? Promise.reject(failure) : Promise.resolve('done')
  }
  expect(await untilDatabaseAnswers(step, { what: 'note the queues', log, pauseMs: 1 })).toBe('done')
  expect(warned).toEqual([
    ['database unavailable, retrying', expect.objectContaining({ step: 'note the queues' })],
    ['database unavailable, retrying', expect.objectContaining({ step: 'note the queues' })],
  ])
})

test('any other error ends it', async () => {
  const log = { warn: () => undefined }
  const step = () => Promise.reject(new Error('a bug'))
  await expect(untilDatabaseAnswers(step, { what: 'x', log, pauseMs: 1 })).rejects.toThrow('a bug')
})
