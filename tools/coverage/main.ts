/** `npm run coverage:table` writes docs/coverage.md; with `--check` it fails when the page is not current. */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { coveragePage } from './page.ts'
import { readProofs } from './proofs.ts'
import { readRules } from './rules.ts'

const ROOT = join(import.meta.dirname, '../..')
const PAGE = join(ROOT, 'docs/coverage.md')

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', '*.test.ts'], {
  cwd: ROOT,
  encoding: 'utf8',
})
const proofs = files
  .split('\n')
  .filter((file) => file !== '')
  .sort()
  .flatMap((file) => readProofs(file, readFileSync(join(ROOT, file), 'utf8')))
try {
  const page = coveragePage(readRules(), proofs)
  if (!process.argv.includes('--check')) writeFileSync(PAGE, page)
  else if (readFileSync(PAGE, 'utf8') !== page) throw new Error('docs/coverage.md is not current: npm run coverage:table')
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
