import { Router } from 'express'
import { staticDocument } from '../http/static-document.ts'
import { openApiDocument } from './document.ts'

/** `GET /openapi.json`. */
export function openApiRoute(options: { sandbox: boolean }): Router {
  const document = JSON.stringify(openApiDocument(options))
  return Router({ caseSensitive: true, strict: true }).get('/openapi.json', staticDocument('application/json', document))
}
