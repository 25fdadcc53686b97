import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { asyncApi } from './asyncapi.ts'

const read = (path: string): object => JSON.parse(readFileSync(path, 'utf8')) as object

// Proves: deploy/asyncapi-describes-the-events
test('docs/asyncapi.json matches the contracts; npm run compat -- --write updates it', () => {
  expect(read(new URL('../../docs/asyncapi.json', import.meta.url).pathname)).toEqual(asyncApi())
})

// Proves: deploy/asyncapi-describes-the-events
test('it is a valid AsyncAPI 3 document, and a broken document is not', () => {
  // The document of AsyncAPI brings the meta schema of JSON Schema itself.
  const ajv = new Ajv({ strict: false, allErrors: true, meta: false, validateSchema: false })
  addFormats.default(ajv)
  const isValid = ajv.compile(read(createRequire(import.meta.url).resolve('@asyncapi/specs/schemas/3.0.0.json')))
  expect([isValid(asyncApi()), isValid.errors]).toEqual([true, null])
  expect(isValid({ ...asyncApi(), channels: { broken: { address: 1 } } })).toBe(false)
})
