/** `npm run structure`: figures on the repository, each with its limit. Lists the places and exits with 1 when one is above it. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '@gateway-infra/system/paths'
import { sum } from '@gateway-tools/load/statistics'

interface Figure {
  readonly what: string
  readonly value: number
  readonly limit: number
  /** Where it is above the limit. */
  readonly places: readonly string[]
}

const PACKAGES = ['services', 'packages', 'infra', 'tools', 'e2e', 'examples']
const CODE = ['ts', 'mjs', 'cjs', 'js', 'css']
/** What runs, measures and checks the product. */
const PLATFORM = ['infra', 'tools', 'packages/simulation']
const MAX_PAGE_WORDS = 2500
/** Without a limit: the specification, and pages that commands write. */
const OTHER_PAGES = ['docs/specification.md', 'docs/configuration.md']

/** Ways around the type checker and the linter, tests included. By text; the linter refuses `any` by syntax. */
const HATCHES = [
  String.raw`(\bas|[:<|(,]|=>) *any *([];,)>=|&[{]|$)`,
  'as unknown as',
  String.raw`(//|/\*) *(@ts-(ignore|expect-error|nocheck)|eslint-disable)`,
]

const figures = [
  lineFigure('all code', PACKAGES, 70_970),
  lineFigure('infra, tools and the simulation', PLATFORM, 19_820),
  lineFigure('webhook-dispatcher', ['services/webhook-dispatcher'], 6610),
  forbiddenImports(),
  escapeHatches(),
  unused(),
  longestPage(),
]
const above = figures.filter(({ value, limit }) => value > limit)
for (const { what, value, limit } of figures)
  console.log(`${value > limit ? 'ABOVE' : 'ok   '}  ${what}: ${value} (limit ${limit})`)
for (const { what, places } of above) console.log(['', `${what}:`, ...places.map((place) => `  ${place}`)].join('\n'))
process.exitCode = above.length > 0 ? 1 : 0

/** Lines of TypeScript, JavaScript and CSS. Tests are left out: `*.test.ts`, and everything in a folder `test`. */
function lineFigure(what: string, folders: readonly string[], limit: number): Figure {
  const code = folders.flatMap((folder) => CODE.map((ending) => `${folder}/*.${ending}`))
  const files = git('grep', '--count', '', '--', ...code, ':!*.test.ts', ':!*/test/*')
    .map((line) => line.split(':') as [file: string, lines: string])
    .map(([file, lines]) => ({ folder: file.split('/', 2).join('/'), lines: Number(lines) }))
  const byFolder = [...Map.groupBy(files, ({ folder }) => folder)]
  const places = byFolder.map(([folder, own]) => `${folder} ${sum(own.map(({ lines }) => lines))}`)
  return { what: `lines of ${what}, tests left out`, value: sum(files.map(({ lines }) => lines)), limit, places }
}

function forbiddenImports(): Figure {
  const args = ['--config', '.dependency-cruiser.mjs', '--output-type', 'json', ...PACKAGES]
  const { summary } = JSON.parse(output('node_modules/.bin/depcruise', ...args)) as {
    summary: { violations: { from: string; to: string; rule: { name: string } }[] }
  }
  const places = summary.violations.map(({ rule: { name }, from, to }) => `${name}: ${from} → ${to}`)
  return none('imports that a rule of .dependency-cruiser.mjs forbids, circles included', places)
}

function escapeHatches(): Figure {
  const patterns = HATCHES.flatMap((pattern) => ['-e', pattern])
  const files = PACKAGES.flatMap((folder) => ['ts', 'mjs', 'js'].map((ending) => `${folder}/**.${ending}`))
  const places = git('grep', '-nE', ...patterns, '--', ...files, ':!tools/checks/structure.ts')
  return none('escape hatches (any, unchecked double casts, directives)', places)
}

/** Exports, files and dependencies that nothing uses, by knip. */
function unused(): Figure {
  const args = ['--reporter', 'json', '--no-progress', '--no-exit-code']
  const { issues } = JSON.parse(output('node_modules/.bin/knip', ...args)) as { issues: Record<string, unknown>[] }
  const places = issues.flatMap(({ file, ...kinds }) =>
    Object.entries(kinds).flatMap(([kind, found]) =>
      [found].flat(2).map((one) => `${String(file)}: ${kind} ${(one as { name: string }).name}`),
    ),
  )
  return none('unused exports, files and dependencies', places)
}

function longestPage(): Figure {
  const pages = git('ls-files', '--', 'docs/*.md', ...OTHER_PAGES.map((file) => `:!${file}`))
    .map((file) => ({ file, words: readFileSync(join(ROOT, file), 'utf8').split(/\s+/u).filter(Boolean).length }))
    .toSorted((one, other) => other.words - one.words)
  const places = pages.filter(({ words }) => words > MAX_PAGE_WORDS).map(({ file, words }) => `${file} ${words}`)
  return { what: 'words of the longest page in docs', value: pages[0]?.words ?? 0, limit: MAX_PAGE_WORDS, places }
}

function none(what: string, places: readonly string[]): Figure {
  return { what, value: places.length, limit: 0, places }
}

function git(...args: readonly string[]): string[] {
  return output('git', ...args)
    .split('\n')
    .filter(Boolean)
}

/** What a program prints. Exit code 1 is no failure: tools report findings with it, and `git grep` that it found nothing. */
function output(program: string, ...args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1024 ** 3 })
  if (error) throw error
  if (status === 0 || status === 1) return stdout
  throw new Error(`${program} ended with ${status}: ${stderr || stdout.slice(0, 500)}`)
}
