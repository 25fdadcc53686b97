/** `npm run config:table` writes docs/configuration.md; a unit test fails when the page is not current. */
import { writeFileSync } from 'node:fs'
import { PAGE, renderPage } from './page.ts'
import { SERVICES } from './services.ts'

writeFileSync(PAGE, renderPage(SERVICES))
