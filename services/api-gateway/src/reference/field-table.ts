import type { JsonSchema } from '@gateway/contracts'
import { html, type Html } from '@gateway/service-kit/http'
import type { Parameter } from '../openapi/describe-operation.ts'

interface Field {
  readonly name: string
  /** Missing for fields that are not sent but received. */
  readonly required?: boolean
  readonly meaning: Html
}

/** A table of fields; nothing when there is none. */
export function fieldTable(title: string, fields: readonly Field[]): Html | undefined {
  if (fields.length === 0) return undefined
  const isSent = fields.some(({ required }) => required !== undefined)
  return html`<h4>${title}</h4>
    <table class="${isSent ? 'sent' : 'received'}">
      <thead>
        <tr>
          <th scope="col">Name</th>
          ${isSent ? html`<th scope="col">Required</th>` : undefined}
          <th scope="col">Meaning</th>
        </tr>
      </thead>
      <tbody>
        ${fields.map(
          ({ name, required, meaning }) =>
            html`<tr>
              <td><code>${name}</code></td>
              ${isSent ? html`<td>${required ? 'yes' : 'no'}</td>` : undefined}
              <td>${meaning}</td>
            </tr>`,
        )}
      </tbody>
    </table>`
}

export function ofParameter({ in: place, name, required, description, schema }: Parameter): Field {
  return { name, required, meaning: html`(${place}) ${meaningOf(schema)} ${description}` }
}

/** Every field of a body that is sent, with its path: `customer.name`. */
export function ofProperties(schema: JsonSchema): Field[] {
  return fieldsOf(schema, '')
}

/** Every field of an answer, with its path: `data.refunds[].amount`. */
export function ofAnswer(schema: JsonSchema): Field[] {
  return fieldsOf(schema, '').map(({ name, meaning }) => ({ name, meaning }))
}

/** An object that only holds its fields has no row of its own. */
function fieldsOf(schema: JsonSchema, path: string): Field[] {
  const { properties = {}, required = [] } = unwrapped(schema)
  return Object.entries(properties).flatMap(([name, child]) => {
    const { items, description, isNullable } = unwrapped(child)
    const field = path + name + (items ? '[]' : '')
    const inner = fieldsOf(items ?? child, `${field}.`)
    const own = { name: field, required: required.includes(name), meaning: meaningOf(child) }
    return inner.length > 0 && description === undefined && !isNullable ? inner : [own, ...inner]
  })
}

type Value = string | number | boolean
type Bound = 'minimum' | 'maximum' | 'minLength' | 'maxLength' | 'minItems' | 'maxItems'

/** What the page reads of a schema. */
interface Schema extends JsonSchema, Readonly<Partial<Record<Bound, number>>> {
  readonly description?: string
  readonly enum?: readonly (Value | null)[]
  readonly const?: Value
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly default?: Value
  readonly examples?: readonly Value[]
  readonly format?: string
  readonly pattern?: string
  readonly uniqueItems?: boolean
}

/** A schema without the branch of its `anyOf` that only says "or null". */
function unwrapped(given: JsonSchema): Schema & { readonly isNullable: boolean } {
  const { anyOf = [], ...schema } = given as Schema
  const [only, ...others] = anyOf.filter(({ type }) => type !== 'null')
  const isNullable =
    anyOf.some(({ type }) => type === 'null') || [schema.type].flat().includes('null') || schema.enum?.includes(null) === true
  return { ...schema, ...(isNullable && others.length === 0 ? only : {}), isNullable }
}

/** All that a schema says of a value: what it means, what it may be, and its pattern, which is folded. */
function meaningOf(schema: JsonSchema): Html {
  const { description, pattern } = unwrapped(schema)
  const limits = limitsOf(schema)
  return html`${description}${description !== undefined && limits.length > 0 ? html`<br />` : undefined}
  ${limits.length > 0 ? html`<span class="limits">${limits.join('; ')}</span>` : undefined}
  ${
    pattern === undefined
      ? undefined
      : html`<details>
          <summary>pattern</summary>
          <code>${pattern}</code>
        </details>`
  }`
}

/** What a value may be, in words: its type or its values, lengths, bounds, what it is by default, an example. */
function limitsOf(schema: JsonSchema): string[] {
  const {
    default: byDefault,
    items,
    uniqueItems,
    examples = [],
    isNullable,
    anyOf,
    ...values
  }: ReturnType<typeof unwrapped> = { ...schema, ...unwrapped(schema) }
  return [
    [kindOf(values), ...(isNullable ? ['or null'] : [])].filter((words) => words !== '').join(', '),
    rangeOf(values.minLength, values.maxLength, ' character'),
    rangeOf(values.minimum, values.maximum, ''),
    rangeOf(values.minItems, values.maxItems, ' item'),
    ...(uniqueItems ? ['each of them once'] : []),
    ...(items && !items.properties ? [`each item: ${limitsOf(items).join('; ')}`] : []),
    ...(anyOf && !isNullable ? [`at least one of ${anyOf.flatMap(({ required = [] }) => required).join(', ')}`] : []),
    ...(byDefault === undefined ? [] : [`${String(byDefault)} by default`]),
    ...examples.map((example) => `such as ${String(example)}`),
  ].filter((words) => words !== '')
}

function kindOf({ enum: values, const: only, format, type }: Schema): string {
  if (values) return `one of ${values.filter((value) => value !== null).join(', ')}`
  if (only !== undefined) return `always ${only}`
  if (format !== undefined) return FORMATS[format] ?? format
  const types = [type ?? []].flat().filter((name) => name !== 'null')
  return types.map((name) => TYPES[name] ?? name).join(' or ')
}

function rangeOf(least: number | undefined, most: number | undefined, what: string): string {
  const bounds = [least ?? [], most ?? []].flat()
  if (bounds.length === 0) return ''
  const words = bounds.length === 2 ? bounds.join(' to ') : `at ${least === undefined ? 'most' : 'least'} ${bounds.join()}`
  return `${words}${what}${what === '' || bounds.at(-1) === 1 ? '' : 's'}`
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  boolean: 'true or false',
  array: 'list',
}
const FORMATS: Readonly<Record<string, string>> = {
  'date-time': 'a time with its zone (date-time)',
  date: 'a day, such as 2026-11-21 (date)',
  uri: 'a URL (uri)',
  email: 'an e-mail address (email)',
}
