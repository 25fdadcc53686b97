import { html, type Html } from '@gateway/service-kit/http'
import type { Parameter, Schema } from './read-document.ts'

interface Field {
  readonly name: string
  /** Missing for fields that are not sent but received. */
  readonly required?: boolean
  readonly meaning: string
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

export function ofParameter({ in: place, name, required, schema }: Parameter): Field {
  return { name, required, meaning: [`(${place})`, meaningOf(schema)].join(' ').trim() }
}

export function ofProperties({ properties = {}, required = [] }: Schema): Field[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    required: required.includes(name),
    meaning: meaningOf(schema),
  }))
}

/** Every field of an answer, with its path: `data.refunds[].amount`. */
export function ofAnswer({ properties = {} }: Schema, path = ''): Field[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const isList = schema.items !== undefined
    const field = path + name + (isList ? '[]' : '')
    const inner = ofAnswer(schema.items ?? schema, `${field}.`)
    return inner.length > 0 ? inner : [{ name: field, meaning: meaningOf(schema) }]
  })
}

function meaningOf({ description, enum: values, properties, const: only, type }: Schema): string {
  if (description !== undefined) return description
  if (values) {
    const named = values.filter((value) => value !== null).map(String)
    return [`one of ${named.join(', ')}`, ...(named.length < values.length ? ['or null'] : [])].join(', ')
  }
  if (only !== undefined) return `always ${only}`
  if (properties) return `an object with ${Object.keys(properties).join(', ')}`
  return [type ?? []]
    .flat()
    .map((name) => TYPE_NAMES[name] ?? name)
    .join(' or ')
}

const TYPE_NAMES: Readonly<Record<string, string>> = { string: 'text', integer: 'whole number', boolean: 'true or false' }
