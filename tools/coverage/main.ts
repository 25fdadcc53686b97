/** `npm run coverage:table` writes reports/coverage.md; a unit test checks the rules and the tests that name them. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildPage, ROOT } from './page.ts'

mkdirSync(join(ROOT, 'reports'), { recursive: true })
writeFileSync(join(ROOT, 'reports/coverage.md'), buildPage())
