import { isDatabaseFailure } from './database-errors.ts'

const named = (name: string, code?: number): Error =>
  Object.assign(new Error('failed'), { name }, code === undefined ? {} : { code })

// Proves: broker/handler-error-own-dead-lettered
test.each([
  [named('MongoNetworkError'), true],
  [named('MongoServerError', 14031), true],
  [named('MongoServerError'), true],
  [named('MongoServerError', 11000), false],
  [named('MongoBulkWriteError', 121), false],
  [named('StrictModeError'), false],
  [new Error('no master key "k1" to open a secret with'), false],
  ['text', false],
])('a failure of the database itself is told apart from one about a document: %s %s', (error, expected) => {
  expect(isDatabaseFailure(error)).toBe(expected)
})
