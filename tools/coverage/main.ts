/** `npm run coverage:table` writes docs/coverage.md; a unit test fails when the page is not current. */
import { writeFileSync } from 'node:fs'
import { buildPage, PAGE } from './page.ts'

writeFileSync(PAGE, buildPage())
