import { describeError } from './logger.ts'

// Proves: faults/logs-hold-no-personal-data
test('an error is described by name, message, code, stack and cause, and by nothing that a library hangs on it', () => {
  const cause = Object.assign(new Error('reset'), { code: 'ECONNRESET', config: { headers: { authorization: 'Bearer secret' } } })
  const error = Object.assign(new TypeError('no answer', { cause }), { request: { body: 'card 4111' }, response: 'excerpt' })
  const described = describeError(error)
  expect(described).toMatchObject({ name: 'TypeError', message: 'no answer', cause: { message: 'reset', code: 'ECONNRESET' } })
  expect(JSON.stringify(described)).not.toMatch(/secret|4111|excerpt/u)
})

test('a thrown value that is not an error is logged by its type alone', () => {
  expect(describeError({ token: 'secret' })).toEqual({ message: 'object' })
})
