/** Nothing of the OpenAPI document is left out of the reference page. */
import { html } from '@gateway/service-kit/http'
import { openApiDocument } from '../openapi/document.ts'
import { entriesOf } from './entries.ts'
import { referencePage } from './reference-page.ts'

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
const objectOf = (value: unknown): Json => (isObject(value) ? value : {})
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const textsOf = (values: unknown): string[] =>
  [values]
    .flat()
    .flatMap((value) =>
      value === null || value === undefined ? [] : [typeof value === 'string' ? value : JSON.stringify(value)],
    )

/** What the page says for each keyword of a schema. A keyword that is not listed fails the test: the page must learn it first. */
const SAYS: Readonly<Record<string, (value: unknown) => string[]>> = {
  ...Object.fromEntries(['description', 'pattern', 'enum', 'const', 'default', 'examples'].map((keyword) => [keyword, textsOf])),
  ...Object.fromEntries(['minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems'].map((name) => [name, textsOf])),
  format: (name) => [`(${String(name)})`],
  uniqueItems: () => ['each of them once'],
  properties: (properties) => Object.entries(objectOf(properties)).flatMap(([name, schema]) => [name, ...saidOf(schema)]),
  items: (items) => saidOf(items),
  anyOf: (branches) => listOf(branches).flatMap(saidOf),
  // The names of required fields are those of properties, and the page says once that unknown ones are refused.
  required: textsOf,
  type: () => [],
  additionalProperties: () => [],
}

function saidOf(schema: unknown): string[] {
  return Object.entries(objectOf(schema)).flatMap(([keyword, value]) => {
    const says = SAYS[keyword]
    if (!says) throw new Error(`the page does not know the keyword ${keyword}`)
    return says(value)
  })
}

const saidOfParameters = (parameters: unknown): string[] =>
  listOf(parameters).flatMap((one) => {
    const { name, in: place, description, schema, required: _, ...others } = objectOf(one)
    expect(others).toEqual({})
    return [...textsOf(name), `(${String(place)})`, ...textsOf(description), ...saidOf(schema)]
  })

const saidOfContent = (content: unknown): string[] =>
  Object.values(objectOf(content)).flatMap((one) => {
    const { schema } = objectOf(one)
    return '$ref' in objectOf(schema) ? [] : saidOf(schema)
  })

const text = (given: string): string => html`${given}`.markup.replaceAll(/\s+/gu, ' ')

describe.each([true, false])('sandbox: %s', (sandbox) => {
  const document = JSON.parse(JSON.stringify(openApiDocument({ sandbox }))) as Json
  const page = referencePage(openApiDocument({ sandbox })).replaceAll(/\s+/gu, ' ')
  const partOf = (id: string): string => {
    const [, part = ''] = page.split(`id="${id}"`)
    return part.split('</article>', 1).join()
  }
  const missingIn = (part: string, texts: readonly string[]): string[] => texts.filter((said) => !part.includes(text(said)))

  // Proves: reference/page-shows-document
  test.each(entriesOf(openApiDocument({ sandbox })).map(({ operationId, path, method }) => [operationId, path, method] as const))(
    '%s: every name, value, limit, pattern and description',
    (id, path, method) => {
      const operation = objectOf(objectOf(objectOf(document['paths'])[path])[method.toLowerCase()])
      const responses = Object.values(objectOf(operation['responses'])).map(objectOf)
      const said = [
        ...textsOf(operation['description']),
        ...textsOf(operation['summary']),
        ...saidOfParameters(operation['parameters']),
        ...saidOfContent(objectOf(operation['requestBody'])['content']),
        ...responses.flatMap(({ content }) => saidOfContent(content)),
        ...('security' in operation ? ['Needs no token'] : []),
      ]
      const summary = text(String(operation['summary']))
      expect(missingIn(summary + partOf(id), said)).toEqual([])
      expect(missingIn(page, [...Object.keys(objectOf(operation['responses'])), ...responses.flatMap((one) => textsOf(one['description']))])).toEqual([]) // prettier-ignore
    },
  )

  // Proves: reference/page-shows-document
  test('what stands beside the operations: tags, the token, errors, webhooks and their headers', () => {
    const { info, tags, components, webhooks } = Object.fromEntries(Object.entries(document).map(([name, part]) => [name, part]))
    const { schemas, securitySchemes } = objectOf(components)
    const { contact, license, ...about } = objectOf(info)
    const posts = Object.values(objectOf(webhooks)).map((webhook) => objectOf(objectOf(webhook)['post']))
    const said = [
      ...[about, contact].flatMap((part) => Object.values(objectOf(part))),
      objectOf(license)['name'],
      ...listOf(tags).flatMap((tag) => Object.values(objectOf(tag))),
      ...Object.values(objectOf(securitySchemes)).flatMap((scheme) => Object.values(objectOf(scheme))),
      ...saidOf(objectOf(schemas)['Problem']),
      ...posts.flatMap(({ summary, parameters, requestBody, responses }) => [
        summary,
        ...saidOfParameters(parameters),
        ...saidOfContent(objectOf(requestBody)['content']),
        ...Object.entries(objectOf(responses)).flatMap(([status, answer]) => [status, objectOf(answer)['description']]),
      ]),
    ]
    const lower = page.toLowerCase()
    expect(textsOf(said).filter((one) => !lower.includes(text(one).toLowerCase()))).toEqual([])
  })
})
