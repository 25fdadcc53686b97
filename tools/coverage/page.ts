/** docs/coverage.md, made from the rules and from the tests that name them. */
import type { Proof } from './proofs.ts'
import type { Rule, Section } from './rules.ts'

const INTRODUCTION = `# Coverage: which test proves which rule

<!-- Written by \`npm run coverage:table\` from tools/coverage/rules.yaml and the "// Proves:" comments above tests. Do not edit. -->

Every rule of the specification and of the design, with the tests that fail when it is broken. \`%s\` and \`%j\` stand for the cases of a table.

The suffix of a test file names its cost: \`.test.ts\` is pure, \`.int.test.ts\` needs database and broker, \`.e2e.test.ts\` the whole stack.
`

/** The whole page. Throws, naming all of them, when rules have no proof or tests name unknown rules. */
export function coveragePage(sections: readonly Section[], proofs: readonly Proof[]): string {
  const rules = sections.flatMap((section) => section.rules)
  const problems = [...withoutProof(rules, proofs), ...unknown(rules, proofs)]
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return [INTRODUCTION, ...sections.map((section) => sectionText(section, proofs))].join('\n')
}

function withoutProof(rules: readonly Rule[], proofs: readonly Proof[]): string[] {
  const proven = new Set(proofs.flatMap(({ ruleIds }) => ruleIds))
  return rules
    .filter(({ id, untested }) => proven.has(id) === (untested !== undefined))
    .map(({ id, untested }) => (untested === undefined ? `${id}: no test proves it` : `${id}: is tested, so remove "untested"`))
}

function unknown(rules: readonly Rule[], proofs: readonly Proof[]): string[] {
  const known = new Set(rules.map(({ id }) => id))
  return proofs.flatMap(({ file, title, ruleIds }) =>
    ruleIds.filter((id) => !known.has(id)).map((id) => `${file} › ${title}: there is no rule ${id} in rules.yaml`),
  )
}

function sectionText({ title, level, rules }: Section, proofs: readonly Proof[]): string {
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
