import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { coveragePage } from './page.ts'
import { readProofs } from './proofs.ts'
import { readRules } from './rules.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Where the page is. */
export const PAGE = join(ROOT, 'docs/coverage.md')

/** Builds the page from rules.yaml and every test file of this checkout. Throws, naming each mistake. */
export function buildPage(): string {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', '*.test.ts'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  const files = listed.split('\n').filter((file) => file !== '')
  const proofs = files.sort().flatMap((file) => readProofs(file, readFileSync(join(ROOT, file), 'utf8')))
  return coveragePage(readRules(), proofs)
}
