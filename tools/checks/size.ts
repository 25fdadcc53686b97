/** `npm run size`: the median, p90 and largest length of files and functions in lines. Tests are left out. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import ts from 'typescript'

type Sized = readonly [name: string, lines: number]

const SHOWN = 8

const listed = execFileSync('git', ['ls-files', '--', 'services/*.ts', 'packages/*.ts', 'infra/*.ts', 'e2e/*.ts'], {
  encoding: 'utf8',
})
const sources = listed
  .split('\n')
  .filter((file) => file !== '' && !/\.test\.ts$|\/test\//u.test(file))
  .map((file) => ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true))

report(
  'files',
  sources.map((source): Sized => [source.fileName, source.text.trimEnd().split('\n').length]),
)
report(
  'functions',
  sources.flatMap((source) => functionsIn(source, source)),
)

function functionsIn(node: ts.Node, source: ts.SourceFile): Sized[] {
  const inner: Sized[] = []
  ts.forEachChild(node, (child) => void inner.push(...functionsIn(child, source)))
  if (!ts.isFunctionLike(node) || !('body' in node) || !node.body) return inner
  const [first, last] = [node.getStart(), node.end].map((place) => source.getLineAndCharacterOfPosition(place).line + 1)
  const { parent } = node
  const name = node.name ?? (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) ? parent.name : undefined)
  return [[`${source.fileName}:${first} ${name?.getText() ?? '(anonymous)'}`, Number(last) - Number(first) + 1], ...inner]
}

function report(what: string, sized: readonly Sized[]): void {
  const sorted = sized.toSorted(([, one], [, other]) => other - one)
  const quantile = (part: number): number => sorted[Math.floor((sorted.length - 1) * (1 - part))]?.[1] ?? 0
  console.log(`${sorted.length} ${what}: median ${quantile(0.5)} lines, p90 ${quantile(0.9)}, largest ${quantile(1)}`)
  for (const [name, lines] of sorted.slice(0, SHOWN)) console.log(`  ${String(lines).padStart(4)}  ${name}`)
}
