/** `npm run coverage:table` writes reports/coverage.md: the rules, and the tests that name them. A unit test checks these. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { parse } from 'yaml'
import { compile, type FromSchema } from '@gateway/contracts'

const ROOT = join(import.meta.dirname, '../..')
const INTRODUCTION = `# Coverage: which test proves which rule

Every rule of the specification and of the design, with the tests that fail when it is broken. \`%s\` and \`%j\` stand for the cases of a table.

The suffix of a test file names its cost: \`.test.ts\` is pure, \`.int.test.ts\` needs database and broker, \`.e2e.test.ts\` the whole stack.
`

/** The rules that tests prove: what the specification and the design promise, in the order of the page. */
const ruleSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['id', 'text'],
  properties: {
    /** How a test names it, such as `webhooks/only-200-acknowledges`. */
    id: { type: 'string' },
    text: { type: 'string' },
    /** Why no test can prove it. Without this, at least one test must. */
    untested: { type: 'string' },
  },
} as const
const sectionsSchema = {
  type: 'array',
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['title', 'level'],
    /** Level 2 is a chapter, level 3 a part of one. */
    properties: { title: { type: 'string' }, level: { enum: [2, 3] }, rules: { type: 'array', items: ruleSchema } },
  },
} as const

type Section = FromSchema<typeof sectionsSchema>[number]
const sections = compile(sectionsSchema)

/** A test with the rules in the comment above it: `// Proves: webhooks/only-200-acknowledges, webhooks/retried`. */
interface Proof {
  readonly file: string
  /** As it is written; `%s` stands for the cases of a table. */
  readonly title: string
  readonly ruleIds: readonly string[]
}

const PROVES = /^\/\/ Proves: (.+)$/u

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

/** Reads rules.yaml. Throws when it has another form or an id is used twice. */
export function readRules(): readonly Section[] {
  const read = sections.parse(parse(readFileSync(join(import.meta.dirname, 'rules.yaml'), 'utf8')))
  const ids = read.flatMap(({ rules = [] }) => rules.map(({ id }) => id))
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index)
  if (twice.length > 0) throw new Error(`rules.yaml: used twice: ${twice.join(', ')}`)
  return read
}

/** Reads one test file. Throws when a `// Proves:` comment is not directly above a test. */
export function readProofs(file: string, text: string): Proof[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const proofs: Proof[] = []
  let commentsRead = 0
  const visit = (node: ts.Node): void => {
    if (ts.isExpressionStatement(node)) {
      const above = ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []
      const comments = above.flatMap(({ pos, end }) => PROVES.exec(text.slice(pos, end))?.slice(1) ?? [])
      commentsRead += comments.length
      const ruleIds = comments.flatMap((ids) => ids.split(',').map((id) => id.trim()))
      if (ruleIds.length > 0) proofs.push({ file, title: titleOf(node, file), ruleIds })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  const commentsWritten = text.split('\n').filter((line) => PROVES.test(line.trim())).length
  if (commentsWritten !== commentsRead) throw new Error(`${file}: "// Proves:" belongs directly above a test`)
  return proofs
}

/** The first string in the outermost call: the title of `test('…')`, `test.each(table)('…')` or `describe('…')`. */
function titleOf({ expression }: ts.ExpressionStatement, file: string): string {
  const [first] = ts.isCallExpression(expression) ? expression.arguments : []
  if (first !== undefined && ts.isStringLiteralLike(first)) return first.text
  throw new Error(`${file}: "// Proves:" is not above a test: ${expression.getText().slice(0, 60)}`)
}

if (import.meta.main) {
  mkdirSync(join(ROOT, 'reports'), { recursive: true })
  writeFileSync(join(ROOT, 'reports/coverage.md'), buildPage())
}
