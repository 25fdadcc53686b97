import type { JsonSchema } from '@gateway/contracts'
import { LISTS, SHAPES, type Shape } from './shapes.ts'

/** Characters in a line. */
const LINE = 130
/** A longer description explains each value of a list; only its first sentence is kept. */
const LONGEST_COMMENT = 400

type Kind = Shape['kind']

const NAMES = new Map(Object.entries(SHAPES).map(([name, { schema }]) => [schema, name]))

/** The text of `src/generated/types.ts`. */
export function writtenTypes(): string {
  const parts = [
    '/** Written by `npm run sdk:types` from the schemas of the gateway. Do not edit. */',
    "import type { Open } from '../open.ts'",
    Object.entries(LISTS)
      .map(([name, { values, open }]) => listType(name, values, open === true))
      .join('\n'),
    ...Object.entries(SHAPES).map(
      ([name, { schema, kind, meaning, base }]) =>
        `${comment(meaning, '')}export interface ${name} ${base ? `extends ${base} ` : ''}${fields(schema, kind, '', base)}`,
    ),
  ]
  return `${parts.join('\n\n')}\n`
}

function listType(name: string, values: readonly string[], isOpen: boolean): string {
  const [before, after] = isOpen ? ['Open<', '>'] : ['', '']
  const lines = wrapped(
    [`export type ${name} = ${before}${quoted(values[0] ?? '')}`, ...values.slice(1).map((value) => `| ${quoted(value)}`)],
    '  ',
  )
  return lines.join('\n') + after
}

/** Words in lines of at most `LINE` characters. */
function wrapped(words: readonly string[], indent: string): string[] {
  const lines: string[] = []
  for (const word of words) {
    const line = lines.at(-1)
    if (line === undefined) lines.push(word)
    else if (line.length + word.length + 1 > LINE) lines.push(indent + word)
    else lines[lines.length - 1] = `${line} ${word}`
  }
  return lines
}

/** The fields of an object in braces. */
function fields(schema: JsonSchema, kind: Kind, indent: string, base = ''): string {
  const inherited = objectIn(SHAPES[base]?.schema['properties'])
  const required = listIn(schema['required'])
  const inner = `${indent}  `
  const lines = Object.entries(objectIn(schema['properties']))
    .filter(([name]) => !(name in inherited) && (kind !== 'query' || name !== 'cursor'))
    .map(([name, field]) => {
      const described = objectIn(field)
      const type = kind === 'query' && name === 'limit' ? 'number' : typeOf(described, kind, inner)
      const optional = required.includes(name) ? '' : '?'
      return `${comment(described['description'], inner)}${inner}readonly ${name}${optional}: ${type}\n`
    })
  const line = `{ ${lines.map((field) => field.trim()).join('; ')} }`
  return line.includes('*/') || line.length > LINE / 2 ? `{\n${lines.join('')}${indent}}` : line
}

function typeOf(schema: JsonSchema, kind: Kind, indent: string): string {
  const name = NAMES.get(schema)
  if (name !== undefined) return name
  if (schema['const'] !== undefined) return texts([schema['const']], kind)
  if (Array.isArray(schema['enum'])) return texts(schema['enum'], kind)
  if (schema.type === undefined)
    return listIn(schema['anyOf'])
      .map((branch) => typeOf(objectIn(branch), kind, indent))
      .join(' | ')
  return [schema.type]
    .flat()
    .map((type) => simpleType(type, schema, kind, indent))
    .join(' | ')
}

function simpleType(type: string, schema: JsonSchema, kind: Kind, indent: string): string {
  switch (type) {
    case 'integer':
      return 'number'
    case 'array': {
      const items = typeOf(objectIn(schema['items']), kind, indent)
      return `readonly ${items.includes(' | ') && !items.endsWith('>') ? `(${items})` : items}[]`
    }
    case 'object':
      return schema['properties'] === undefined
        ? `Readonly<Record<string, ${typeOf(objectIn(schema['additionalProperties']), kind, indent)}>>`
        : fields(schema, kind, indent)
    default:
      return type
  }
}

/** A list of texts by its name, if it has one. */
function texts(values: readonly unknown[], kind: Kind): string {
  const known = values.filter((value) => typeof value === 'string')
  const orNull = known.length < values.length ? ' | null' : ''
  const literals = known.map(quoted).join(' | ')
  const [name = literals, list] = Object.entries(LISTS).find(([, { values: own }]) => own.join() === known.join()) ?? []
  const isOpen = list?.open === true
  if (kind === 'answer') return (isOpen ? name : `Open<${name}>`) + orNull
  return (isOpen ? literals : name) + orNull
}

/** A description as a sentence above its field. */
function comment(description: unknown, indent: string): string {
  if (typeof description !== 'string' || description === 'INR') return ''
  const whole = description.length > LONGEST_COMMENT ? description.replace(/\. .*/su, '') : description
  const sentence = whole.replace(/^[a-z](?=[a-z]* )/u, (first) => first.toUpperCase()).replace(/^Null\b/u, '`null`')
  const text = /[.…]$/u.test(sentence) ? sentence : `${sentence}.`
  if (indent.length + text.length + 7 <= LINE) return `${indent}/** ${text} */\n`
  const lines = wrapped(text.split(' '), '').map((line) => `${indent} * ${line}\n`)
  return `${indent}/**\n${lines.join('')}${indent} */\n`
}

const quoted = (text: string): string => `'${text}'`

function objectIn(value: unknown): JsonSchema {
  return typeof value === 'object' && value !== null ? (value as JsonSchema) : {}
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
