import { html, type Html } from '@gateway/service-kit/http'
import type { Schema } from './read-document.ts'

/** A schema without the branch of its `anyOf` that only says "or null". */
export function unwrapped({ anyOf = [], ...schema }: Schema): Schema & { readonly isNullable: boolean } {
  const [only, ...others] = anyOf.filter(({ type }) => type !== 'null')
  const isNullable =
    anyOf.some(({ type }) => type === 'null') || [schema.type].flat().includes('null') || schema.enum?.includes(null) === true
  return { ...schema, ...(isNullable && others.length === 0 ? only : {}), isNullable }
}

/** All that a schema says of a value: what it means, what it may be, and its pattern, which is folded. */
export function meaningOf(schema: Schema): Html {
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
function limitsOf(schema: Schema): string[] {
  const {
    default: byDefault,
    items,
    uniqueItems,
    examples = [],
    isNullable,
    anyOf,
    ...values
  } = { ...schema, ...unwrapped(schema) }
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
