/** Writes docs/configuration.md. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { renderPage } from './page.ts'
import { SERVICES } from './services.ts'

const file = join(import.meta.dirname, '../../docs/configuration.md')
writeFileSync(file, renderPage(SERVICES))
console.log(`written: ${file}`)
