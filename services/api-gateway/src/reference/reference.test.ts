import { PROBLEMS, PUBLIC_PROBLEM_CODES } from '@gateway/contracts'
import { openApiDocument } from '../openapi/document.ts'
import { postmanCollection } from './postman.ts'
import { entriesOf, exampleOf } from './entries.ts'
import { referencePage } from './reference-page.ts'
import { samplesOf } from './samples.ts'

const document = openApiDocument({ sandbox: true })
const entries = entriesOf(document)
const page = referencePage(document)

interface RequestOf {
  readonly url: { readonly path: readonly string[] }
  readonly body?: { readonly raw: string }
}
interface Collection {
  readonly info: { readonly schema: string }
  readonly item: readonly {
    readonly item: readonly { readonly name: string; readonly request: RequestOf }[]
  }[]
}
const collection = JSON.parse(JSON.stringify(postmanCollection(document))) as Collection
const requests = collection.item.flatMap(({ item }) => item)

// Proves: reference/page-shows-document
test.each(entries.map((entry) => [entry.operationId, entry] as const))(
  'the page shows %s with its address and samples',
  (id, entry) => {
    expect(page).toContain(`id="${id}"`)
    expect(page).toContain(`${entry.method} ${entry.path}`)
    expect(samplesOf(entry).curl).toContain(entry.path.split('{')[0])
  },
)

// Proves: reference/page-shows-document
test('the contents name every call; the answers that all calls share are shown once', () => {
  for (const { operationId, method, path } of entries)
    expect(page).toContain(`<a href="#${operationId}"><code>${method} ${path}</code></a>`)
  const everywhere = entries[0]?.responses['500']?.description ?? ''
  expect(page.split(everywhere)).toHaveLength(2)
})

// Proves: reference/page-shows-document
test('the page says what a call answers, down to the fields of lists', () => {
  for (const name of [
    'checkout.url',
    'data.transaction.status',
    'data.refund.status',
    'data.orders[].refund_state',
    'next_cursor',
  ])
    expect(page).toContain(`<code>${name}</code>`)
})

// Proves: reference/page-shows-document
test('the page says "or null" of a field that may be null, and lists its other values', () => {
  expect(page).toContain('one of queued, processing, insufficient_funds, no_answer, or null')
  expect(page).not.toMatch(/, *<\/td>/u)
})

/** Those of the network, and calls that merchants make by hand. */
const NOT_IN_THE_SDK = [
  ...['createCredential', 'listAudit', 'listCredentials', 'listenToWebhooks'],
  ...['reportPayment', 'reportRefund', 'revokeCredential'],
]

// Proves: reference/page-shows-document
test('every call that the SDK has is shown with it', () => {
  const without = entries.filter((entry) => samplesOf(entry).sdk === undefined).map(({ operationId }) => operationId)
  expect(without.toSorted()).toEqual(NOT_IN_THE_SDK)
})

// Proves: reference/page-shows-document
test('the page has every error code and webhook field, no script, and no style of its own', () => {
  const row = (code: string): string => page.split(`<td><code>${code}</code></td>`)[1]?.split('</tr>')[0] ?? ''
  for (const code of PUBLIC_PROBLEM_CODES) expect(row(code)).toContain(`<code>${PROBLEMS[code].status}</code>`)
  for (const name of ['txnid', 'merchantTxnId', 'metadata.udf1', 'webhook-sequence'])
    expect(page).toContain(`<code>${name}</code>`)
  expect(page).not.toMatch(/<script|<style|\sstyle=|\son\w+=/iu)
})

// Proves: reference/examples-are-valid
test('the body of each curl sample is the example of the document, which its schema accepts', () => {
  for (const entry of entries) {
    const [, body] = /-d '(.*)'$/u.exec(samplesOf(entry).curl) ?? []
    expect(body && JSON.parse(body)).toEqual(exampleOf(entry))
  }
})

// Proves: reference/collection-is-postman-2-1
test('the collection has every operation that merchants call, with the examples of the document', () => {
  expect(collection.info.schema).toMatch(/v2\.1\.0/u)
  const called = entries.filter(({ operationId }) => !['reportPayment', 'reportRefund', 'listenToWebhooks'].includes(operationId))
  expect(requests.map(({ name }) => name).toSorted()).toEqual(called.map(({ summary }) => summary).toSorted())
  for (const { request } of requests) if (request.body) expect(() => JSON.parse(request.body?.raw ?? '') as unknown).not.toThrow()
})

// Proves: reference/collection-is-postman-2-1
test('no request of the collection has an empty part in its path', () => {
  for (const { request } of requests) expect(request.url.path).not.toContain('')
})
