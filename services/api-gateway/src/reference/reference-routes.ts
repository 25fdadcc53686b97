import { readFileSync } from 'node:fs'
import { Router } from 'express'
import { postmanCollection } from './postman.ts'
import { readDocument } from './read-document.ts'
import { referencePage } from './reference-page.ts'

const STYLE = readFileSync(new URL('style.css', import.meta.url), 'utf8')
const CACHED = 'public, max-age=300'
/** The reference has no scripts, so nothing of it can run on the checkout's origin. */
const POLICY = "default-src 'none'; style-src 'self'"

/** `GET /docs` and `GET /postman.json`, made once from the OpenAPI document. */
export function referenceRoutes(options: { readonly sandbox: boolean }): Router {
  const document = readDocument(options)
  const [page, collection] = [referencePage(document), JSON.stringify(postmanCollection(document))]
  return Router({ caseSensitive: true, strict: true })
    .get('/docs', (_request, response) => {
      response.set({ 'cache-control': CACHED, 'content-security-policy': POLICY }).type('text/html').send(page)
    })
    .get('/docs/style.css', (_request, response) => {
      response.set('cache-control', CACHED).type('text/css').send(STYLE)
    })
    .get('/postman.json', (_request, response) => {
      response.set('cache-control', CACHED).type('application/json').send(collection)
    })
}
