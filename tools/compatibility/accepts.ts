/** Whether the reader's schema accepts everything that the writer's schema allows. */
import { Ajv } from 'ajv'
import type { JsonSchema } from '@gateway/contracts'

/** One for all: each instance compiles the schema of schemas first. It keeps none, since two may have the same id. */
const ajv = new Ajv({ strict: false, validateFormats: false, addUsedSchema: false })

/** A keyword with a limit, and the sign of what a narrower one is: a higher minimum, a lower maximum. */
const BOUNDS = { minimum: 1, minLength: 1, minItems: 1, maximum: -1, maxLength: -1, maxItems: -1 } as const

/** Where and why the reader may refuse what the writer sends, as `/data/status: …`; empty when it never does. */
export function refusals(writer: JsonSchema, reader: JsonSchema, at = ''): string[] {
  const own = [...valueRefusals(writer, reader), ...fieldRefusals(writer, reader)]
  return [...own.map((why) => `${at === '' ? '/' : at}: ${why}`), ...childRefusals(writer, reader, at)]
}

function valueRefusals(writer: JsonSchema, reader: JsonSchema): string[] {
  const sent = valuesOf(writer)
  // The reader validates each listed value: its type, a limit or a list of values may refuse it.
  if (sent) {
    const accepts = ajv.compile(reader)
    return sent.filter((value) => !accepts(value)).map((value) => `${JSON.stringify(value)} is not one of the values`)
  }
  if (valuesOf(reader)) return ['anything is not one of the values']
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

function fieldRefusals(writer: JsonSchema, reader: JsonSchema): string[] {
  const missing = listOf(reader['required']).filter((name) => !listOf(writer['required']).includes(name))
  const isStrict = reader['additionalProperties'] === false
  const unknown = Object.keys(propertiesOf(writer)).filter((name) => isStrict && !(name in propertiesOf(reader)))
  return [
    ...missing.map((name) => `${String(name)} is required, and may be missing`),
    ...unknown.map((name) => `${name} is not known`),
    ...(isStrict && writer['additionalProperties'] !== false ? ['any other field may be sent, and is refused'] : []),
  ]
}

function childRefusals(writer: JsonSchema, reader: JsonSchema, at: string): string[] {
  const sent = propertiesOf(writer)
  const fields = Object.entries(propertiesOf(reader)).flatMap(([name, schema]) =>
    sent[name] ? refusals(sent[name], schema, `${at}/${name}`) : [],
  )
  const entries = (['items', 'additionalProperties'] as const).flatMap((keyword) => {
    const [written, read] = [writer[keyword], reader[keyword]]
    if (!isSchema(read)) return []
    return isSchema(written) ? refusals(written, read, `${at}/*`) : [`${at}/*: may be anything, and is read as something`]
  })
  return [...fields, ...entries]
}

/** The values that the schema lists; `undefined` when it has no list. */
function valuesOf(schema: JsonSchema): readonly unknown[] | undefined {
  if ('const' in schema) return [schema['const']]
  return 'enum' in schema ? listOf(schema['enum']) : undefined
}

function typesOf({ type }: JsonSchema): readonly string[] {
  const types = type === undefined ? ['any'] : [type].flat()
  // Every integer is a number.
  return types.includes('number') ? [...types, 'integer'] : types
}

function propertiesOf({ properties }: JsonSchema): Readonly<Record<string, JsonSchema>> {
  const entries = isSchema(properties) ? Object.entries(properties) : []
  return Object.fromEntries(entries.filter((entry): entry is [string, JsonSchema] => isSchema(entry[1])))
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null
}
