import { ValidationFailed } from './errors.ts'
import { orderCreated, orderCreatedReader, orderCreatedSchema } from './events/order-created.ts'
import { compile, compileReader, ignoringUnknownFields } from './schema.ts'

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
  expect([orderCreated({}), orderCreatedReader({})]).toEqual([false, false])
})
