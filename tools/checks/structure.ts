/** `npm run structure`: figures on the repository, each with its limit. Lists the places and exits with 1 when one is above it. */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
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
/** Without a limit: the specification, and pages that commands write. */
const OTHER_PAGES = ['docs/specification.md', 'docs/configuration.md', 'docs/coverage.md']

/** Ways around the type checker and the linter, tests included. By text; the linter refuses `any` by syntax. */
const HATCHES = [
  String.raw`(\bas|[:<|(,]|=>) *any *([];,)>=|&[{]|$)`,
  'as unknown as',
  String.raw`(//|/\*) *(@ts-(ignore|expect-error|nocheck)|eslint-disable)`,
]

const figures = [platformLines(), ...importFigures(), escapeHatches(), unused(), longestPage()]
const above = figures.filter(({ value, limit }) => value > limit)
for (const { what, value, limit } of figures)
  console.log(`${value > limit ? 'ABOVE' : 'ok   '}  ${what}: ${value} (limit ${limit})`)
for (const { what, places } of above) console.log(['', `${what}:`, ...places.map((place) => `  ${place}`)].join('\n'))
process.exitCode = above.length > 0 ? 1 : 0

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

function escapeHatches(): Figure {
  const patterns = HATCHES.flatMap((pattern) => ['-e', pattern])
  const files = PACKAGES.flatMap((folder) => ['ts', 'mjs', 'js'].map((ending) => `${folder}/**.${ending}`))
  const { stdout } = spawnSync('git', ['grep', '-nE', ...patterns, '--', ...files, ':!tools/checks/structure.ts'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  const places = stdout.split('\n').filter(Boolean)
  return { what: 'escape hatches (any, unchecked double casts, directives)', value: places.length, limit: 0, places }
}

interface KnipReport {
  readonly issues: readonly { readonly file: string; readonly [kind: string]: unknown }[]
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
  const hasName = (one: unknown) => typeof one === 'object' && one !== null && 'name' in one
  return Array.isArray(found) ? found.flat().map((one: unknown) => (hasName(one) ? String(one.name) : '')) : []
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
