import { Validator } from '@seriousme/openapi-schema-validator'
import { API_ROUTES, SANDBOX_ROUTES } from '../http/api-routes.ts'
import { openApiDocument } from './document.ts'

const documents = [{ sandbox: true }, { sandbox: false }]

// Proves: api/openapi-3-1-get-openapi-json
test.each(documents)('the document for %j is valid OpenAPI 3.1', async (options) => {
  const result = await new Validator().validate(openApiDocument(options))
  expect(result.errors).toBeUndefined()
  expect(result.valid).toBe(true)
})

// Proves: spec/9-operation-paths-carry-v1
test.each(documents)('the document for %j describes exactly the routes of the gateway', (options) => {
  const { paths } = JSON.parse(JSON.stringify(openApiDocument(options))) as { paths: Record<string, object> }
  const described = Object.entries(paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`))
  const routed = Object.entries(options.sandbox ? { ...API_ROUTES, ...SANDBOX_ROUTES } : API_ROUTES).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toLowerCase()} ${path.replace(/:(\w+)/gu, '{$1}')}`),
  )
  expect(described.toSorted()).toEqual(routed.toSorted())
})
