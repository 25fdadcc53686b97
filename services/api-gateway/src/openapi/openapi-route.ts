import { Router } from 'express'
import { openApiDocument } from './document.ts'

/** `GET /openapi.json`. The document is built once and is the same for every client. */
export function openApiRoute(options: { sandbox: boolean }): Router {
  const document = JSON.stringify(openApiDocument(options))
  return Router({ caseSensitive: true, strict: true }).get('/openapi.json', (_request, response) => {
    response.setHeader('cache-control', 'public, max-age=300')
    response.type('application/json').send(document)
  })
}
