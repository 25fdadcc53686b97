import { html, type Html } from '@gateway/service-kit/http'
import type { Parameter, Schema } from './read-document.ts'
import { meaningOf, unwrapped } from './schema-words.ts'

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
export function ofProperties(schema: Schema): Field[] {
  return fieldsOf(schema, '').map(({ isRequired, ...field }) => ({ ...field, required: isRequired }))
}

/** Every field of an answer, with its path: `data.refunds[].amount`. */
export function ofAnswer(schema: Schema): Field[] {
  return fieldsOf(schema, '').map(({ name, meaning }) => ({ name, meaning }))
}

/** An object that only holds its fields has no row of its own. */
function fieldsOf(schema: Schema, path: string): (Omit<Field, 'required'> & { readonly isRequired: boolean })[] {
  const { properties = {}, required = [] } = unwrapped(schema)
  return Object.entries(properties).flatMap(([name, child]) => {
    const { items, description, isNullable } = unwrapped(child)
    const field = path + name + (items ? '[]' : '')
    const inner = fieldsOf(items ?? child, `${field}.`)
    const own = { name: field, isRequired: required.includes(name), meaning: meaningOf(child) }
    return inner.length > 0 && description === undefined && !isNullable ? inner : [own, ...inner]
  })
}
