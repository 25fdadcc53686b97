import { readFileSync } from 'node:fs'
import { Router } from 'express'
import { staticDocument } from '../http/static-document.ts'
import { postmanCollection } from './postman.ts'
import { readDocument } from './read-document.ts'
import { referencePage } from './reference-page.ts'

const STYLE = readFileSync(new URL('style.css', import.meta.url), 'utf8')
/** The reference has no scripts, so nothing of it can run on the checkout's origin. */
const POLICY = "default-src 'none'; style-src 'self'"

/** `GET /docs` and `GET /postman.json`, made once from the OpenAPI document. */
export function referenceRoutes(options: { readonly sandbox: boolean }): Router {
  const document = readDocument(options)
  const collection = JSON.stringify(postmanCollection(document))
  return Router({ caseSensitive: true, strict: true })
    .get('/docs', staticDocument('text/html', referencePage(document), { 'content-security-policy': POLICY }))
    .get('/docs/style.css', staticDocument('text/css', STYLE))
    .get('/postman.json', staticDocument('application/json', collection))
}
