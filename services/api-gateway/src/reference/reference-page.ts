import { html, type Html } from '@gateway/service-kit/http'
import type { ApiDocument } from '../openapi/document.ts'
import { answerList, commonAnswers, errorSection, ownAnswers, type Answers } from './answers.ts'
import { entriesOf, type Entry } from './entries.ts'
import { fieldTable, ofAnswer, ofParameter, ofProperties } from './field-table.ts'
import { samplesOf } from './samples.ts'

/** The whole reference as one page without scripts. */
export function referencePage(document: ApiDocument): string {
  const { info, tags, components } = document
  const entries = entriesOf(document)
  const common = commonAnswers(entries)
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
          <p>Version ${info.version}. Ask: ${info.contact.name}. Licence: ${info.license.name}.</p>
          <p>For programs: <a href="/openapi.json">OpenAPI 3.1</a>, <a href="/postman.json">Postman collection</a>.</p>
        </header>
        <nav aria-label="Contents">
          <ul>
            ${tags.map(({ name }) => contentsOf(name, entries))}
            <li><a href="#token">The token</a></li>
            <li><a href="#webhook">The webhooks</a></li>
            <li><a href="#errors">Errors</a></li>
          </ul>
        </nav>
        <main>
          ${tokenSection(document)} ${tags.map((tag) => sectionOf(entriesUnder(tag.name, entries), tag, common))}
          ${webhookSection(document)} ${errorSection(common, components.schemas.Problem)}
        </main>
      </body>
    </html>`
  return page.markup
}

function entriesUnder(tag: string, entries: readonly Entry[]): Entry[] {
  return entries.filter(({ tags: [first] }) => first === tag)
}

function contentsOf(tag: string, entries: readonly Entry[]): Html {
  const calls = entriesUnder(tag, entries).map(({ operationId, method, path }) => {
    return html`<li>
      <a href="#${operationId}"><code>${method} ${path}</code></a>
    </li>`
  })
  return html`<li>
    <a href="#${tag}">${titleOf(tag)}</a>
    <ul>
      ${calls}
    </ul>
  </li>`
}

function tokenSection({ components: { securitySchemes } }: ApiDocument): Html {
  const { type, scheme, bearerFormat, description } = securitySchemes.merchantToken
  return html`<section aria-labelledby="token">
    <h2 id="token">The token</h2>
    <p>
      <code>Authorization: Bearer …</code>, on every call that does not say otherwise (${type}, ${scheme}, ${bearerFormat}).
      ${description}
    </p>
  </section>`
}

function sectionOf(entries: readonly Entry[], { name, description }: ApiDocument['tags'][number], common: Answers): Html {
  return html`<section aria-labelledby="${name}">
    <h2 id="${name}">${titleOf(name)}</h2>
    <p>${description}</p>
    ${entries.map((entry) => operationOf(entry, common))}
  </section>`
}

function operationOf(entry: Entry, common: Answers): Html {
  const { operationId, summary, description, method, path, responses } = entry
  const { curl, sdk, cli } = samplesOf(entry)
  const body = entry.requestBody?.content['application/json'].schema
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? []
  const answer = success?.content?.['application/json']?.schema
  const table = success?.content?.['text/csv']?.schema
  return html`<article aria-labelledby="${operationId}">
    <h3 id="${operationId}">${summary}</h3>
    <code class="address">${method} ${path}</code>
    <p>${description}</p>
    ${entry.security === undefined ? undefined : html`<p>Needs no token.</p>`}
    <p>
      ${entry['x-repeatable'] ? 'Sending it twice has the same effect as sending it once.' : 'Do not send it again without looking first: each call has an effect.'}
    </p>
    ${entry.parameters && fieldTable('Parameters', entry.parameters.map(ofParameter))}
    ${body && fieldTable('Body', ofProperties(body))}
    <h4>Answers</h4>
    ${answerList(ownAnswers(responses, common))}
    <p>Besides these, <a href="#errors">the answers of every call</a>.</p>
    ${answer && fieldTable('Answer on success', ofAnswer(answer))}
    ${table && html`<p><code>text/csv</code>: ${String(table['description'])}</p>`}
    <h4>curl</h4>
    <pre>${curl}</pre>
    ${sampleOf('SDK', sdk)} ${sampleOf('Command line', cli)}
  </article>`
}

function sampleOf(title: string, sample: string | undefined): Html | undefined {
  if (sample === undefined) return undefined
  return html`<h4>${title}</h4>
    <pre>${sample}</pre>`
}

function webhookSection({ webhooks }: ApiDocument): Html {
  return html`<section aria-labelledby="webhook">
    <h2 id="webhook">The webhooks</h2>
    <p>
      Verify the signature over the bytes as they came, with any library of
      <a href="https://www.standardwebhooks.com">Standard Webhooks</a>; answer 200 within ten seconds.
    </p>
    ${Object.values(webhooks).map(({ post }) => webhookOf(post))}
    <h4>SDK</h4>
    <pre>const event = await verify(rawBody, headers, [signingSecret])</pre>
  </section>`
}

function webhookOf({
  operationId,
  summary,
  parameters,
  requestBody,
  responses,
}: ApiDocument['webhooks']['refundStatus']['post']): Html {
  return html`<h3 id="${operationId}">${summary}</h3>
    ${fieldTable('Headers', parameters.map(ofParameter))}
    ${fieldTable('Body', ofAnswer(requestBody.content['application/json'].schema))}
    <h4>Your answer</h4>
    ${answerList(ownAnswers(responses, {}))}`
}

function titleOf(tag: string): string {
  return tag.charAt(0).toUpperCase() + tag.slice(1)
}
