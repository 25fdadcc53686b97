import { buildPage, coveragePage, readProofs, readRules } from './main.ts'

/** In two parts, so that the generator does not read this file as a proof of these rules. */
const PROVES = ['//', 'Proves:'].join(' ')
const sections = [{ title: 'Money', level: 2 as const, rules: [{ id: 'money/paise', text: 'Amounts are integer paise.' }] }]
const proof = { file: 'a.test.ts', title: 'a sum', ruleIds: ['money/paise'] }

test('a rule is listed with the tests that prove it', () => {
  expect(coveragePage(sections, [proof])).toContain('| Amounts are integer paise. | `a.test.ts` › a sum |')
})

test('a rule without a test is an error that names it', () => {
  expect(() => coveragePage(sections, [])).toThrow('money/paise: no test proves it')
})

test('a test that names an unknown rule is an error that names the test', () => {
  const wrong = { ...proof, ruleIds: ['money/paise', 'money/none'] }
  expect(() => coveragePage(sections, [wrong])).toThrow('a.test.ts › a sum: there is no rule money/none')
})

test('a rule that no test can prove says why', () => {
  const [{ title, level }] = sections as [(typeof sections)[0]]
  const untestable = { title, level, rules: [{ id: 'money/kind', text: 'Kind.', untested: 'a promise' }] }
  expect(coveragePage([untestable], [])).toContain('| Kind. | Not tested: a promise |')
  const tested = { ...proof, ruleIds: ['money/kind'] }
  expect(() => coveragePage([untestable], [tested])).toThrow('money/kind: is tested')
})

test('comments above tests, tables and groups are read', () => {
  const text = `${PROVES} a/b, c/d
test('one', () => {})

${PROVES} e/f
test.each([1, 2])('case %s', () => {})
test('without', () => {})
`
  expect(readProofs('x.test.ts', text)).toEqual([
    { file: 'x.test.ts', title: 'one', ruleIds: ['a/b', 'c/d'] },
    { file: 'x.test.ts', title: 'case %s', ruleIds: ['e/f'] },
  ])
})

test('a comment that is not above a test is an error', () => {
  expect(() => readProofs('x.test.ts', `${PROVES} a/b\nconst x = 1\n`)).toThrow('belongs directly above a test')
})

test('rules.yaml can be read, and no id is used twice', () => {
  expect(readRules().flatMap(({ rules = [] }) => rules).length).toBeGreaterThan(250)
})

test('every rule has a test that proves it, and every test names rules that exist', () => {
  expect(buildPage()).toContain('# Coverage')
})
