import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { Ajv } from 'ajv'
import { transactionStatusChangedSchema, type JsonSchema } from '@gateway/contracts'
import { refusals } from './accepts.ts'
import { breaks, EXCHANGED, type Exchanged } from './exchanged.ts'

const NAME = 'event transaction.status-changed 1'
/** What is exchanged now, with a change of that event's `data`. */
function changed(change: (data: { required: string[]; properties: Record<string, object> }) => void): Exchanged {
  const copy: JsonSchema & { properties: { data: { required: string[]; properties: Record<string, object> } } } = JSON.parse(
    JSON.stringify(transactionStatusChangedSchema),
  )
  change(copy.properties.data)
  return { ...EXCHANGED, schemas: { ...EXCHANGED.schemas, [NAME]: copy } }
}

// Proves: deploy/messages-are-versioned
test('the messages of this checkout break no service of the compatibility point', () => {
  const point = JSON.parse(readFileSync(new URL('point.json', import.meta.url), 'utf8')) as Exchanged
  expect(breaks(point, EXCHANGED)).toEqual([])
})

test('unchanged messages break nothing', () => {
  expect(breaks(EXCHANGED, EXCHANGED)).toEqual([])
})

// Proves: deploy/messages-are-versioned
test.each<[string, Parameters<typeof changed>[0], string]>([
  [
    'a removed field',
    (data) => {
      delete data.properties['rrn']
      data.required = data.required.filter((name) => name !== 'rrn')
    },
    'written now, read then: /data: rrn is required, and may be missing',
  ],
  [
    'a field that becomes optional',
    (data) => void (data.required = data.required.filter((name) => name !== 'rrn')),
    'written now, read then: /data: rrn is required, and may be missing',
  ],
  [
    'a narrowed enum',
    (data) => void (data.properties['status'] = { enum: ['Initiate', 'Success', 'Failed'] }),
    'written then, read now: /data/status: "Pending" is not one of the values',
  ],
  [
    'a wider enum',
    (data) => void (data.properties['method'] = { enum: ['upi', 'credit_card', 'debit_card', 'netbanking', 'wallet', null] }),
    'written now, read then: /data/method: "wallet" is not one of the values',
  ],
  [
    'a new required field',
    (data) => {
      data.required.push('region')
      data.properties['region'] = { type: 'string' }
    },
    'written then, read now: /data: region is required, and may be missing',
  ],
  [
    'a changed type',
    (data) => void (data.properties['amount_paise'] = { type: 'string' }),
    'written now, read then: /data/amount_paise: string is not the type',
  ],
  [
    'a higher minimum',
    (data) => void (data.properties['sequence'] = { type: 'integer', minimum: 2 }),
    'written then, read now: /data/sequence: minimum is narrower',
  ],
])('%s is a break', (_what, change, why) => {
  expect(breaks(EXCHANGED, changed(change))).toContain(`${NAME}, ${why}`)
})

test('a new optional field of an event breaks nothing', () => {
  const grown = changed((data) => void (data.properties['region'] = { type: 'string' }))
  expect(breaks(EXCHANGED, grown)).toEqual([])
  expect(breaks(grown, EXCHANGED)).toEqual([])
})

test('a removed message is a break; a new message or a new version is not', () => {
  const { [NAME]: event, ...others } = EXCHANGED.schemas
  expect(breaks(EXCHANGED, { ...EXCHANGED, schemas: others })).toEqual([
    `${NAME}: it was removed, and services of then still send or expect it`,
  ])
  const schemas = { ...EXCHANGED.schemas, 'event transaction.status-changed 2': event ?? {} }
  expect(breaks(EXCHANGED, { ...EXCHANGED, schemas })).toEqual([])
})

// Proves: deploy/messages-are-versioned
test('a reader without refusals accepts every value of the writer', () => {
  const leaf = fc.oneof(
    fc.constantFrom<JsonSchema>({ type: 'string' }, { type: ['string', 'null'] }, { type: 'integer' }, { enum: ['a', null] }),
    fc.integer({ min: 0, max: 3 }).map((minimum): JsonSchema => ({ type: 'integer', minimum })),
  )
  const object = fc
    .tuple(fc.dictionary(fc.constantFrom('a', 'b', 'c'), leaf), fc.subarray(['a', 'b', 'c']), fc.boolean())
    .map(([properties, required, closed]): JsonSchema => ({
      type: 'object',
      properties,
      required: required.filter((name) => name in properties),
      ...(closed ? { additionalProperties: false } : {}),
    }))
  const value = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom<unknown>('a', null, 'text', 0, 1, 2, 3))
  const ajv = new Ajv({ strict: false })
  fc.assert(
    fc.property(object, object, fc.array(value, { maxLength: 20 }), (writer, reader, values) => {
      // A writer may send fields that it does not name; a reader must not give them a meaning.
      fc.pre(Object.keys(reader['properties'] ?? {}).every((name) => Object.keys(writer['properties'] ?? {}).includes(name)))
      if (refusals(writer, reader).length > 0) return
      const [writes, reads] = [ajv.compile(writer), ajv.compile(reader)]
      for (const one of values) if (writes(one)) expect(reads(one)).toBe(true)
    }),
  )
})
