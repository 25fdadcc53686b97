import { readFileSync } from 'node:fs'
import { WRITTEN } from '../scripts/written.ts'

// Proves: sdk/types-are-those-of-the-contracts, sdk/operations-are-those-of-the-openapi-document
test.each(Object.entries(WRITTEN))('src/generated/%s matches the schemas; npm run sdk:types updates it', (path, text) => {
  expect(readFileSync(new URL(`../src/generated/${path}`, import.meta.url), 'utf8')).toBe(text())
})
