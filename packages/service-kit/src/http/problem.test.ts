import { Refused, Unavailable, ValidationFailed, type ProblemCode } from '@gateway/contracts'
import { isDatabaseAway } from '../errors/database-errors.ts'
import { toProblem } from './problem.ts'

// Proves: api/problem-statuses
test.each([
  ['malformed_json', 400],
  ['token_missing', 401],
  ['token_invalid', 401],
  ['token_expired', 401],
  ['forbidden', 403],
  ['not_found', 404],
  ['order_not_found', 404],
  ['order_id_conflict', 409],
  ['body_too_large', 413],
  ['content_type_unsupported', 415],
] as const)('%s is %d', (code, status) => {
  const problem = toProblem(new Refused(code, 'In words'))
  expect(problem).toMatchObject({ status, code, detail: 'In words', type: `urn:payment-gateway:problem:${code}` })
  expect(problem.title).not.toBe('')
})

// Proves: api/problem-statuses
test('validation names every field', () => {
  const errors = [{ field: '/amount', message: 'is required' }]
  expect(toProblem(new ValidationFailed(errors))).toMatchObject({ status: 422, code: 'validation_failed', errors })
})

// Proves: api/retry-after
test.each([
  ['rate_limited', 429],
  ['backlog', 503],
  ['upstream_timeout', 504],
] as const)('%s is %d, and says when to come back', (code, status) => {
  expect(toProblem(new Unavailable(code, 'd', { retryAfterSeconds: 7 }))).toMatchObject({ status, code, retryAfterSeconds: 7 })
})

// Proves: api/every-code-has-a-status
test('an error takes no code that the table of statuses does not have', () => {
  // The test compiles only while codes are a closed list.
  const codes: string extends ProblemCode ? 'any text' : 'a closed list' = 'a closed list'
  expect(codes).toBe('a closed list')
})

// Proves: api/problems-hold-no-secret
test('an unknown error is a 500 that reveals nothing', () => {
  const secret = Object.assign(new Error('password=hunter2 in mongodb://u:p@db'), { secret: 'hunter2' })
  const problem = toProblem(secret)
  expect(problem).toMatchObject({ status: 500, code: 'internal_error' })
  expect(JSON.stringify(problem)).not.toMatch(/hunter2|mongodb|at .*\.ts/u)
  expect(toProblem('hunter2')).toEqual(problem)
})

test.each(['MongoServerSelectionError', 'MongoNetworkError', 'MongoNotConnectedError', 'MongoPoolClearedError'])(
  '%s is a database that is away: 503',
  (name) => {
    const error = Object.assign(new Error('connect ECONNREFUSED'), { name })
    expect(isDatabaseAway(error)).toBe(true)
    expect(toProblem(error)).toMatchObject({ status: 503, code: 'database_unavailable', retryAfterSeconds: 1 })
  },
)

// Proves: faults/database-lost-in-a-batch
test('a database that went away in the middle of a batch is away; a batch that it refused is not', () => {
  const lost = Object.assign(new Error('connection closed'), { name: 'MongoNetworkError' })
  const batch = (errorResponse: unknown) => Object.assign(new Error('batch'), { name: 'MongoBulkWriteError', errorResponse })
  expect(isDatabaseAway(batch(lost))).toBe(true)
  expect(isDatabaseAway(batch({ code: 11000 }))).toBe(false)
  expect(isDatabaseAway(batch({ message: 'terminating connection due to administrator command' }))).toBe(true)
  expect(isDatabaseAway(batch({ message: 'dial tcp 127.0.0.1:5432: connect: connection refused' }))).toBe(true)
  const unconfirmed = Object.assign(new Error('waiting for replication timed out'), { name: 'MongoWriteConcernError', code: 64 })
  expect(toProblem(unconfirmed)).toMatchObject({ status: 503, retryAfterSeconds: 1 })
})

test('a duplicate key is an answer of a database that is there', () => {
  expect(isDatabaseAway(Object.assign(new Error('E11000'), { name: 'MongoServerError', code: 11000 }))).toBe(false)
})
