/** docs/coverage.md maps rules to tests: every test that it names must exist, or the map lies. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

interface Row {
  readonly rule: string
  readonly heldBy: string
}

/** The rows of every table that has the two columns "rule" and "held by". */
const rows = read('docs/coverage.md')
  .split('\n')
  .flatMap((line): Row[] => {
    const [, rule = '', heldBy = ''] = /^\| (.+?) \| (.+) \|$/u.exec(line) ?? []
    return rule === '' || rule === 'rule' ? [] : [{ rule, heldBy }]
  })

/** What stands in the second column: tests, or a dash and the reason why there is none. */
const entriesOf = ({ heldBy }: Row) => heldBy.split('<br>')

const named = rows.flatMap((row) =>
  entriesOf(row).flatMap((entry): [file: string, title: string][] => {
    const [, file = '', title = ''] = /^`([^`]+)` › (.+)$/u.exec(entry) ?? []
    return file === '' ? [] : [[file, title]]
  }),
)

/** The titles of all tests of a file, templates of `test.each` as they are written. */
function titlesOf(file: string): ReadonlySet<string> {
  const titles = new Set<string>()
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && /^(?:test|it)\b/u.test(node.expression.getText())) {
      const [first] = node.arguments
      if (first && ts.isStringLiteralLike(first)) titles.add(first.text)
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true))
  return titles
}

test('every rule names a test, or says why it has none', () => {
  expect(rows.length).toBeGreaterThan(150)
  const bare = rows.filter((row) => !entriesOf(row).every((entry) => /^`[^`]+\.test\.ts` › .+$|^— .+$/u.test(entry)))
  expect(bare).toEqual([])
})

test.each([...new Set(named.map(([file]) => file))])('%s is there, with the tests that are named', (file) => {
  expect(existsSync(join(root, file))).toBe(true)
  const titles = titlesOf(file)
  const missing = named.filter(([of, title]) => of === file && !titles.has(title)).map(([, title]) => title)
  expect(missing).toEqual([])
})

test('merchants are told how to take webhooks', () => {
  const readme = read('README.md')
  for (const rule of [/any order/u, /deduplicate by `webhook-id`/u, /ignore a lower `webhook-sequence`/u, /confirm by search/u])
    expect(readme).toMatch(rule)
})
