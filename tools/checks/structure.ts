/**
 * `npm run structure`: how the repository is built, each figure with its limit. Exit 1 when one is above its limit; the places are
 * listed below the figures.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { ROOT } from '@gateway-infra/system/paths'

interface Figure {
  readonly what: string
  readonly value: number
  readonly limit: number
  /** Where it is above the limit. */
  readonly places: readonly string[]
}

const PACKAGES = ['services', 'packages', 'infra', 'tools', 'e2e', 'examples']
const MAX_PLATFORM_LINES = 10_500
const MAX_PAGE_WORDS = 2500
/** The law as it was given, the list of changes, and pages that commands write. */
const OTHER_PAGES = ['docs/specification.md', 'docs/configuration.md', 'docs/coverage.md']

const figures = [platformLines(), ...importFigures(), escapeHatches(), unused(), longestPage()]
for (const { what, value, limit } of figures)
  console.log(`${value > limit ? 'ABOVE' : 'ok   '}  ${what}: ${value} (limit ${limit})`)
for (const { what, places } of figures.filter(({ value, limit }) => value > limit))
  console.log(['', `${what}:`, ...places.map((place) => `  ${place}`)].join('\n'))
process.exitCode = figures.some(({ value, limit }) => value > limit) ? 1 : 0

function filesOf(folders: readonly string[], ending: RegExp): string[] {
  const listed = execFileSync('git', ['ls-files', '--', ...folders], { cwd: ROOT, encoding: 'utf8', maxBuffer: 1024 ** 2 * 64 })
  return listed.split('\n').filter((file) => ending.test(file))
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8')
}

/** Code that runs, measures and checks the product. Tests are `*.test.ts` and everything in a folder `test`. */
function platformLines(): Figure {
  const files = filesOf(['infra', 'tools'], /\.(?:ts|mjs)$/u).filter(
    (file) => !/\.test\.ts$|\/test\/|^tools\/simulation\//u.test(file),
  )
  const sizes = new Map<string, number>()
  for (const file of files) {
    const folder = file.split('/').slice(0, 2).join('/')
    sizes.set(folder, (sizes.get(folder) ?? 0) + read(file).trimEnd().split('\n').length)
  }
  const value = [...sizes.values()].reduce((sum, lines) => sum + lines, 0)
  const places = [...sizes].map(([folder, lines]) => `${folder} ${lines}`)
  return { what: 'TypeScript lines of infra and tools, tests left out', value, limit: MAX_PLATFORM_LINES, places }
}

interface Cruised {
  readonly summary: { readonly violations: readonly { from: string; to: string; rule: { name: string } }[] }
}

function importFigures(): Figure[] {
  const args = ['--config', '.dependency-cruiser.mjs', '--output-type', 'json', ...PACKAGES]
  const { violations } = (runJson('dependency-cruiser/bin/dependency-cruiser.mjs', args) as Cruised).summary
  const figure = (what: string, rule: string): Figure => {
    const found = violations.filter(({ rule: { name } }) => name === rule)
    return { what, value: found.length, limit: 0, places: found.map(({ from, to }) => `${from} → ${to}`) }
  }
  return [
    figure('relative imports across packages', 'no-relative-packages'),
    figure('import circles, imports of types included', 'no-circular'),
  ]
}

/** Ways around the type checker and the linter, tests included. */
function escapeHatches(): Figure {
  const places = filesOf(PACKAGES, /\.(?:ts|mjs|js)$/u).flatMap((file) => {
    const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true)
    const at = (position: number): string => `${file}:${source.getLineAndCharacterOfPosition(position).line + 1}`
    const found = [...source.text.matchAll(/(?:\/\/|\/\*)\s*(?:@ts-(?:ignore|expect-error|nocheck)|eslint-disable)/gu)]
    return [...found.map(({ index }) => at(index)), ...uncheckedTypes(source).map((node) => at(node.getStart()))]
  })
  return { what: 'escape hatches (any, unchecked double casts, directives)', value: places.length, limit: 0, places }
}

/** `any` as a type, and `as unknown as`. */
function uncheckedTypes(source: ts.SourceFile): ts.Node[] {
  const found: ts.Node[] = []
  const visit = (node: ts.Node): void => {
    const isDoubleCast =
      ts.isAsExpression(node) && ts.isAsExpression(node.expression) && node.expression.type.kind === ts.SyntaxKind.UnknownKeyword
    if (isDoubleCast || node.kind === ts.SyntaxKind.AnyKeyword) found.push(node)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

interface KnipReport {
  readonly issues: readonly ({ readonly file: string } & Readonly<Record<string, unknown>>)[]
}

/** Exports, files and dependencies that nothing uses, by knip. */
function unused(): Figure {
  const { issues } = runJson('knip/bin/knip.js', ['--reporter', 'json', '--no-progress', '--no-exit-code']) as KnipReport
  const places = issues.flatMap(({ file, ...kinds }) =>
    Object.entries(kinds).flatMap(([kind, found]) => namesIn(found).map((name) => `${file}: ${kind} ${name}`)),
  )
  return { what: 'unused exports, files and dependencies', value: places.length, limit: 0, places }
}

function namesIn(found: unknown): string[] {
  if (!Array.isArray(found)) return []
  return found.flat().map((one: unknown) => (typeof one === 'object' && one !== null && 'name' in one ? String(one.name) : ''))
}

function longestPage(): Figure {
  const pages = filesOf(['docs'], /\.md$/u)
    .filter((file) => !OTHER_PAGES.includes(file))
    .map((file) => ({ file, words: read(file).split(/\s+/u).filter(Boolean).length }))
    .toSorted((one, other) => other.words - one.words)
  const value = pages[0]?.words ?? 0
  const places = pages.filter(({ words }) => words > MAX_PAGE_WORDS).map(({ file, words }) => `${file} ${words}`)
  return { what: 'words of the longest page in docs', value, limit: MAX_PAGE_WORDS, places }
}

/** Runs a tool of the root's dependencies, which prints JSON; its exit code says only whether it found anything. */
function runJson(script: string, args: readonly string[]): unknown {
  const path = join(ROOT, 'node_modules', script)
  const { stdout, stderr } = spawnSync(process.execPath, [path, ...args], { cwd: ROOT, encoding: 'utf8', maxBuffer: 1024 ** 3 })
  try {
    return JSON.parse(stdout)
  } catch (error) {
    throw new Error(`${script} printed no JSON: ${stderr || stdout.slice(0, 500)}`, { cause: error })
  }
}
