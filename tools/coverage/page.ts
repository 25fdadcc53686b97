/** The page of `npm run coverage:table`, made from the rules and from the tests that name them. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readProofs, type Proof } from './proofs.ts'
import { readRules, type Section } from './rules.ts'

export const ROOT = join(import.meta.dirname, '../..')
const INTRODUCTION = `# Coverage: which test proves which rule

Every rule of the specification and of the design, with the tests that fail when it is broken. \`%s\` and \`%j\` stand for the cases of a table.

The suffix of a test file names its cost: \`.test.ts\` is pure, \`.int.test.ts\` needs database and broker, \`.e2e.test.ts\` the whole stack.
`

/** Builds the page from rules.yaml and every test file of this checkout. Throws an error that names every mistake. */
export function buildPage(): string {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '--', '*.test.ts']
  const files = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim().split('\n').sort()
  const proofs = files.flatMap((file) => readProofs(file, readFileSync(join(ROOT, file), 'utf8')))
  return coveragePage(readRules(), proofs)
}

/** The whole page. Throws an error that names every rule without a proof and every test that names an unknown rule. */
export function coveragePage(sections: readonly Section[], proofs: readonly Proof[]): string {
  const rules = new Map(sections.flatMap(({ rules = [] }) => rules.map((rule) => [rule.id, rule])))
  const proven = new Set(proofs.flatMap(({ ruleIds }) => ruleIds))
  const problems = [...rules.values()]
    .filter(({ id, untested }) => proven.has(id) === (untested !== undefined))
    .map(({ id, untested }) => (untested === undefined ? `${id}: no test proves it` : `${id}: is tested, so remove "untested"`))
  for (const { file, title, ruleIds } of proofs)
    for (const id of ruleIds) if (!rules.has(id)) problems.push(`${file} › ${title}: there is no rule ${id} in rules.yaml`)
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return [INTRODUCTION, ...sections.map((section) => sectionText(section, proofs))].join('\n')
}

function sectionText({ title, level, rules = [] }: Section, proofs: readonly Proof[]): string {
  const heading = `${'#'.repeat(level)} ${title}\n`
  if (rules.length === 0) return heading
  const rows = rules.map(({ id, text, untested }) => {
    const tests = proofs.filter(({ ruleIds }) => ruleIds.includes(id)).map((proof) => `\`${proof.file}\` › ${cell(proof.title)}`)
    return `| ${cell(text)} | ${untested === undefined ? tests.join('<br>') : `Not tested: ${cell(untested)}`} |`
  })
  return [heading, '| rule | proven by |', '|---|---|', ...rows, ''].join('\n')
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}
