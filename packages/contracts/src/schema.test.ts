import { ValidationFailed } from './errors.ts'
import { orderCreatedReader, orderCreatedSchema } from './events.ts'
import { recoverDeliveriesRequest } from './http/webhooks.ts'
import * as contracts from './index.ts'
import { compile, compileReader, ignoringUnknownFields, type Checker } from './schema.ts'

const schema = {
  type: 'object',
  additionalProperties: false,
  required: ['id'],
  properties: {
    id: { type: 'string' },
    note: { type: 'string', default: '' },
    parts: {
      type: 'array',
      items: { type: 'object', additionalProperties: false, required: ['n'], properties: { n: { type: 'integer' } } },
    },
    names: { type: 'object', additionalProperties: { type: 'object', additionalProperties: false } },
    additionalProperties: { type: 'boolean' },
  },
} as const

test('the type follows from the schema: read-only, and a field with a default stays optional', () => {
  const { id, note, parts = [] } = compile(schema).parse({ id: 'a', parts: [{ n: 1 }] })
  const typed: readonly [string, string | undefined, readonly { readonly n: number }[]] = [id, note, parts]
  expect(typed).toEqual(['a', undefined, [{ n: 1 }]])
})

test('a reader ignores unknown fields at every level, where the writer may not send them', () => {
  const grown = { id: 'a', new: 1, parts: [{ n: 1, new: 1 }], names: { b: { new: 1 } } }
  expect(() => compile(schema).parse(grown)).toThrow(ValidationFailed)
  expect(compileReader(schema).parse(grown)).toBe(grown)
})

test('a reader still checks required fields and types, also for a field named like a keyword', () => {
  const read = compileReader(schema)
  for (const bad of [{}, { id: 1 }, { id: 'a', parts: [{}] }, { id: 'a', additionalProperties: 'text' }])
    expect(read(bad)).toBe(false)
})

test('an event has a strict checker and a reader side by side', () => {
  expect(ignoringUnknownFields(orderCreatedSchema)).not.toHaveProperty('$id')
  expect([compile(orderCreatedSchema)({}), orderCreatedReader({})]).toEqual([false, false])
})

test.each(['2026-11-21T10:00:00Z', '2026-11-21T10:00:00.123+05:30'])('%s is a time', (since) => {
  expect(recoverDeliveriesRequest({ since, to: 'current' })).toBe(true)
})

// `Date` cannot read these, so a route that let them pass would fail later.
test.each(['2026-11-21T10:00:00+05', '2026-06-30T23:59:60Z', '2026-02-30T10:00:00Z', '2026-11-21'])('%s is refused', (since) => {
  const message = 'must be a time with its zone, such as 2026-11-21T10:00:00Z'
  expect(errorsOf(() => recoverDeliveriesRequest.parse({ since, to: 'current' }))).toEqual([{ field: '/since', message }])
})

// Schemas are compiled at first use: a mistake in one must fail here and not in a running service.
const checkers = Object.entries(contracts).filter(
  (entry): entry is [string, Checker<unknown>] => typeof entry[1] === 'function' && 'parse' in entry[1],
)
test.each(checkers)('the schema of %s compiles', (_name, checker) => {
  expect(typeof checker(undefined)).toBe('boolean')
})

test('every checker is among those that are compiled above', () => {
  expect(checkers.length).toBeGreaterThan(20)
})

function errorsOf(parse: () => unknown): ValidationFailed['errors'] {
  try {
    parse()
  } catch (error) {
    if (error instanceof ValidationFailed) return error.errors
    throw error
  }
  return []
}

// Proves: faults/logs-hold-no-personal-data
test('an unknown field is named when a field could have this name; other names may be anything, and are not repeated', () => {
  const fieldsOf = (value: object): string[] => {
    try {
      compile(schema).parse({ id: 'a', ...value })
    } catch (error) {
      if (error instanceof ValidationFailed) return error.errors.map(({ field }) => field)
    }
    return []
  }
  expect(fieldsOf({ nmae: 1, 'x-y': 1, parts: [{ n: 1, m: 1 }] })).toEqual(['/nmae', '/x-y', '/parts/0/m'])
  expect(fieldsOf({ '4111111111111111': 1 })).toEqual(['/?'])
  expect(fieldsOf({ 'asha@okbank': 1, 'Asha Kumar': 1, ['x'.repeat(65)]: 1 })).toEqual(['/?'])
})
