/** Whether one schema takes everything that another one may describe. */
import { Ajv } from 'ajv'
import type { JsonSchema } from '@gateway/contracts'

/** One for all: each instance compiles the schema of schemas first. It keeps none, since two may have the same id. */
const ajv = new Ajv({ strict: false, validateFormats: false, addUsedSchema: false })

/** Where and why the reader refuses something that the writer may send, as `/data/status: …`; empty when it never does. */
export function refusals(writer: JsonSchema, reader: JsonSchema, at = ''): string[] {
  const here = (why: string): string => `${at === '' ? '/' : at}: ${why}`
  return [
    ...valueRefusals(writer, reader).map(here),
    ...requiredOf(reader)
      .filter((name) => !requiredOf(writer).includes(name))
      .map((name) => here(`${String(name)} is required, and may be missing`)),
    ...unknownRefusals(writer, reader).map(here),
    ...childRefusals(writer, reader, at),
  ]
}

const BOUNDS = { minimum: 1, minLength: 1, minItems: 1, maximum: -1, maxLength: -1, maxItems: -1 } as const

function valueRefusals(writer: JsonSchema, reader: JsonSchema): string[] {
  const [sent, taken] = [valuesOf(writer), valuesOf(reader)]
  // Of values that are named each is tried: a type, a limit and a list of values may all be in its way.
  if (sent) {
    const takes = ajv.compile(reader)
    return sent.filter((value) => !takes(value)).map((value) => `${JSON.stringify(value)} is not one of the values`)
  }
  if (taken) return ['anything is not one of the values']
  const types = typesOf(writer).filter((type) => !typesOf(reader).includes(type) && !typesOf(reader).includes('any'))
  const bounds = Object.entries(BOUNDS).filter(([keyword, sign]) => {
    const [limit, promised] = [reader[keyword], writer[keyword]]
    return typeof limit === 'number' && (typeof promised !== 'number' || promised * sign < limit * sign)
  })
  const texts = ['pattern', 'format'].filter((keyword) => keyword in reader && reader[keyword] !== writer[keyword])
  return [
    ...types.map((type) => `${type} is not the type`),
    ...bounds.map(([keyword]) => `${keyword} is narrower`),
    ...texts.map((keyword) => `${keyword} is another one`),
  ]
}

/** A reader that knows no other fields refuses those that it does not know. */
function unknownRefusals(writer: JsonSchema, reader: JsonSchema): string[] {
  if (reader['additionalProperties'] !== false) return []
  const names = Object.keys(propertiesOf(writer)).filter((name) => !(name in propertiesOf(reader)))
  const open = writer['additionalProperties'] === false ? [] : ['any other field may be sent, and is refused']
  return [...names.map((name) => `${name} is not known`), ...open]
}

function childRefusals(writer: JsonSchema, reader: JsonSchema, at: string): string[] {
  const [sent, taken] = [propertiesOf(writer), propertiesOf(reader)]
  const fields = Object.entries(taken).flatMap(([name, schema]) => {
    const written = sent[name]
    return written ? refusals(written, schema, `${at}/${name}`) : []
  })
  const below = (['items', 'additionalProperties'] as const).flatMap((keyword) => {
    const [written, read] = [writer[keyword], reader[keyword]]
    if (!isSchema(read)) return []
    return isSchema(written) ? refusals(written, read, `${at}/*`) : [`${at}/*: may be anything, and is read as something`]
  })
  return [...fields, ...below]
}

/** `undefined` when it is not a list of values. */
function valuesOf(schema: JsonSchema): readonly unknown[] | undefined {
  if ('const' in schema) return [schema['const']]
  return Array.isArray(schema['enum']) ? schema['enum'] : undefined
}

function typesOf({ type }: JsonSchema): readonly string[] {
  if (type === undefined) return ['any']
  const types = typeof type === 'string' ? [type] : type
  // Every integer is a number.
  return types.includes('number') ? [...types, 'integer'] : types
}

function requiredOf(schema: JsonSchema): readonly unknown[] {
  return Array.isArray(schema['required']) ? schema['required'] : []
}

function propertiesOf(schema: JsonSchema): Readonly<Record<string, JsonSchema>> {
  const properties = schema['properties']
  if (typeof properties !== 'object' || properties === null) return {}
  return Object.fromEntries(Object.entries(properties).filter((entry): entry is [string, JsonSchema] => isSchema(entry[1])))
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null
}
