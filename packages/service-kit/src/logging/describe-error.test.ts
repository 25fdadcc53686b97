import http from 'node:http'
import { Fault, Refused, Unavailable, ValidationFailed } from '@gateway/contracts'
import mongoose, { mongo } from 'mongoose'
import { describeError } from './describe-error.ts'

const MARKERS = ['4111111111111111', 'asha@okbank', 'asha.kumar@example.com', '9876543210', 'Asha Kumar']
const MARKED = MARKERS.join(' ')
const thrownBy = (work: () => unknown): unknown => {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('it throws nothing')
}
const refusedKey = { ok: 0, code: 11000, codeName: 'DuplicateKey', errmsg: `E11000 dup key: { _id: "${MARKED}" }` }
const schema = mongoose.Schema.create({ amount: Number, kind: { type: String, enum: ['a'] } })
const Model = mongoose.createConnection().model('Marked', schema)

// Proves: faults/logs-hold-no-personal-data
test.each<[string, () => unknown]>([
  ['JSON.parse', () => thrownBy(() => JSON.parse(MARKED))],
  ['BigInt', () => thrownBy(() => BigInt(MARKED))],
  ['a regular expression', () => thrownBy(() => new RegExp(`(${MARKED}`, 'u'))],
  ['URL', () => thrownBy(() => new URL(MARKED))],
  ['a language tag', () => thrownBy(() => new Intl.Locale(MARKED))],
  ['Buffer', () => thrownBy(() => Buffer.from(MARKED, MARKED as 'utf8'))],
  ['a header', () => thrownBy(() => new http.OutgoingMessage().setHeader(MARKED, ''))],
  ['the database driver', () => Object.assign(new mongo.MongoServerError(refusedKey), { keyValue: { _id: MARKED } })],
  ['a connection string', () => thrownBy(() => new mongo.MongoClient(`mongodb+other://${MARKED}`))],
  ['a cast of mongoose', () => new Model({ amount: MARKED }).validate().catch((error: unknown) => error)],
  ['a check of mongoose', () => new Model({ kind: MARKED }).validate().catch((error: unknown) => error)],
  ['an error whose name and code are data', () => Object.assign(new Error('x'), { name: MARKED, code: MARKERS[0] })],
  ['the cause of ours', () => new Unavailable('database_unavailable', 'away', { cause: new Error(MARKED) })],
  ['several at once', () => new AggregateError([new Error(MARKED)], MARKED)],
  [
    'a message of several lines',
    () => new Error(`x\n    at ${MARKED} (file:///a.ts:1:2)\n    at file:///${MARKERS[0] ?? ''}.ts:1:2`),
  ],
  ['a changed message', () => Object.assign(new Error(`${MARKED}\n${MARKED}`), { message: 'changed' })],
  ['a thrown text', () => MARKED],
  ['a thrown object', () => ({ message: MARKED })],
])('an error of %s is logged without what it quotes', async (_library, make) => {
  const described = JSON.stringify(describeError(await make()))
  for (const marker of MARKERS) expect(described).not.toContain(marker)
})

// Proves: faults/logs-hold-no-personal-data
test('an operator sees which error it was, and where', () => {
  const refused = Object.assign(new Error(`connect ECONNREFUSED ${MARKED}`), {
    ...{ code: 'ECONNREFUSED', syscall: 'connect', address: '10.0.0.7', port: 27_017, config: { authorization: 'secret' } },
  })
  expect(describeError(new mongo.MongoNetworkError('x', { cause: refused }))).toMatchObject({
    name: 'MongoNetworkError',
    stack: expect.stringMatching(/^ {4}at .*describe-error\.test\.ts:\d+:\d+/u) as string,
    cause: { name: 'Error', code: 'ECONNREFUSED', syscall: 'connect', address: '10.0.0.7', port: 27_017 },
  })
  expect(describeError(new mongo.MongoServerError(refusedKey))).toMatchObject({ code: 11000, codeName: 'DuplicateKey' })
  expect(describeError(new Refused('not_found', 'There is nothing'))).toMatchObject({ message: 'There is nothing' })
  expect(describeError(new Fault('no master key "k2"'))).toMatchObject({ message: 'no master key "k2"' })
  expect(describeError(new ValidationFailed([]))).toMatchObject({ code: 'validation_failed' })
  expect(JSON.stringify(describeError(refused))).not.toContain('secret')
})
