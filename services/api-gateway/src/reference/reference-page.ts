import { html, type Html } from '@gateway/service-kit/http'
import { answerOf, entriesOf, type ApiDocument, type Entry, type Parameter, type Schema } from './read-document.ts'
import { samplesOf } from './samples.ts'

/** The whole reference as one page without scripts. */
export function referencePage(document: ApiDocument): string {
  const { info, tags } = document
  const entries = entriesOf(document)
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${info.title}: API reference</title>
        <link rel="stylesheet" href="/docs/style.css" />
      </head>
      <body>
        <header>
          <h1>${info.title}: API reference</h1>
          <p>${info.description}</p>
          <p>For programs: <a href="/openapi.json">OpenAPI 3.1</a>, <a href="/postman.json">Postman collection</a>.</p>
        </header>
        <nav aria-label="Contents">
          <ul>
            ${tags.map(({ name }) => html`<li><a href="#${name}">${titleOf(name)}</a></li>`)}
            <li><a href="#webhook">The webhook</a></li>
            <li><a href="#errors">Errors</a></li>
          </ul>
        </nav>
        <main>${tags.map(({ name }) => sectionOf(name, entries))} ${webhookSection(document)} ${errorSection(document)}</main>
      </body>
    </html>`
  return page.markup
}

function sectionOf(tag: string, entries: readonly Entry[]): Html {
  const own = entries.filter(({ tags: [first] }) => first === tag)
  return html`<section aria-labelledby="${tag}">
    <h2 id="${tag}">${titleOf(tag)}</h2>
    ${own.map(operationOf)}
  </section>`
}

function operationOf(entry: Entry): Html {
  const { operationId, summary, description, method, path, responses } = entry
  const { curl, sdk, cli } = samplesOf(entry)
  const body = entry.requestBody?.content['application/json'].schema
  const answer = answerOf(entry)
  return html`<article aria-labelledby="${operationId}">
    <h3 id="${operationId}">${summary}</h3>
    <code class="address">${method} ${path}</code>
    <p>${description}</p>
    <p>
      ${entry['x-repeatable'] ? 'Sending it twice has the effect of once.' : 'Do not send it again without looking first: each call has an effect.'}
    </p>
    ${entry.parameters && fieldTable('Parameters', entry.parameters.map(ofParameter))}
    ${body && fieldTable('Body', ofProperties(body))}
    <h4>Answers</h4>
    <p>${Object.entries(responses).map(([status, answer]) => html`<code>${status}</code> ${answer.description}<br />`)}</p>
    ${answer && fieldTable('Answer on success', ofAnswer(answer))}
    <h4>curl</h4>
    <pre>${curl}</pre>
    ${
      sdk === undefined
        ? undefined
        : html`<h4>SDK</h4>
            <pre>${sdk}</pre>`
    }
    ${
      cli === undefined
        ? undefined
        : html`<h4>Command line</h4>
            <pre>${cli}</pre>`
    }
  </article>`
}

function webhookSection({ webhooks: { transactionStatus } }: ApiDocument): Html {
  const { summary, parameters, requestBody } = transactionStatus.post
  return html`<section aria-labelledby="webhook">
    <h2 id="webhook">The webhook</h2>
    <h3>The status of a transaction changed</h3>
    <p>${summary}.</p>
    <p>
      Verify the signature over the bytes as they came, with any library of
      <a href="https://www.standardwebhooks.com">Standard Webhooks</a>; answer 200 within ten seconds.
    </p>
    ${fieldTable('Headers', parameters.map(ofParameter))}
    ${fieldTable('Body', ofProperties(requestBody.content['application/json'].schema))}
    <h4>SDK</h4>
    <pre>const event = await verify(rawBody, headers, [signingSecret])</pre>
  </section>`
}

function errorSection({ components }: ApiDocument): Html {
  return html`<section aria-labelledby="errors">
    <h2 id="errors">Errors</h2>
    <p>
      Errors are <code>application/problem+json</code> (RFC 9457) with a stable <code>code</code>, <code>errors</code> for invalid
      fields, and a <code>request_id</code> to quote. 429 and 503 carry <code>Retry-After</code>. A later version may add codes.
    </p>
    <ul class="codes">
      ${components.schemas.Problem.properties.code.enum.map((code) => html`<li><code>${code}</code></li>`)}
    </ul>
  </section>`
}

interface Field {
  readonly name: string
  /** Missing for fields that are not sent but received. */
  readonly required?: boolean
  readonly meaning: string
}

function fieldTable(title: string, fields: readonly Field[]): Html | undefined {
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

function ofParameter({ in: place, name, required, schema }: Parameter): Field {
  return { name, required, meaning: [`(${place})`, meaningOf(schema)].join(' ').trim() }
}

function ofProperties({ properties = {}, required = [] }: Schema): Field[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    required: required.includes(name),
    meaning: meaningOf(schema),
  }))
}

/** Every field of an answer, with its path: `data.refunds[].amount`. */
function ofAnswer({ properties = {} }: Schema, path = ''): Field[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const isList = schema.items !== undefined
    const field = path + name + (isList ? '[]' : '')
    const inner = ofAnswer(schema.items ?? schema, `${field}.`)
    return inner.length > 0 ? inner : [{ name: field, meaning: meaningOf(schema) }]
  })
}

function meaningOf({ description, enum: values, properties, const: only, type }: Schema): string {
  if (description !== undefined) return description
  if (values) return `one of ${values.join(', ')}`
  if (only !== undefined) return `always ${only}`
  if (properties) return `an object with ${Object.keys(properties).join(', ')}`
  return [type ?? []]
    .flat()
    .map((name) => TYPE_NAMES[name] ?? name)
    .join(' or ')
}

const TYPE_NAMES: Readonly<Record<string, string>> = { string: 'text', integer: 'whole number', boolean: 'true or false' }

function titleOf(tag: string): string {
  return tag.charAt(0).toUpperCase() + tag.slice(1)
}
