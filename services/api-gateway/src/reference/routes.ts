import { readFileSync } from 'node:fs'
import { Router, type RequestHandler } from 'express'
import { openApiDocument } from '../openapi/document.ts'
import { postmanCollection } from './postman.ts'
import { referencePage } from './reference-page.ts'

const STYLE = readFileSync(new URL('style.css', import.meta.url), 'utf8')
/** The reference has no scripts, so nothing of it can run on the checkout's origin. */
const POLICY = { 'content-security-policy': "default-src 'none'; style-src 'self'" }

/** `GET /openapi.json`, and what is made of it: `GET /docs` and `GET /postman.json`. */
export function documentRoutes(options: { readonly sandbox: boolean }): Router {
  const document = openApiDocument(options)
  return Router({ caseSensitive: true, strict: true })
    .get('/openapi.json', staticDocument('application/json', JSON.stringify(document)))
    .get('/docs', staticDocument('text/html', referencePage(document), POLICY))
    .get('/docs/style.css', staticDocument('text/css', STYLE))
    .get('/postman.json', staticDocument('application/json', JSON.stringify(postmanCollection(document))))
}

/** Serves a text that is the same for every client. All answers share its bytes, so clients that do not read hold no copies. */
function staticDocument(type: string, text: string, headers: Readonly<Record<string, string>> = {}): RequestHandler {
  const bytes = Buffer.from(text)
  return (_request, response) => {
    response
      .set({ 'cache-control': 'public, max-age=300', ...headers })
      .type(type)
      .send(bytes)
  }
}
