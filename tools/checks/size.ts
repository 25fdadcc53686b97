/** How large files and functions are: the largest, the median and the p90 of both. Tests are left out. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import ts from 'typescript'

interface Sized {
  readonly name: string
  readonly lines: number
}

const SHOWN = 8

const files = execFileSync('git', ['ls-files', '--', 'services/*.ts', 'packages/*.ts', 'infra/*.ts', 'e2e/*.ts'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && !/\.test\.ts$|\/test\//u.test(file))
const sources = files.map((file) => ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true))

report(
  'files',
  sources.map((source) => ({ name: source.fileName, lines: source.text.trimEnd().split('\n').length })),
)
report('functions', sources.flatMap(functionsOf))

function functionsOf(source: ts.SourceFile): Sized[] {
  const found: Sized[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      const line = (position: number): number => source.getLineAndCharacterOfPosition(position).line + 1
      const start = line(node.getStart())
      found.push({ name: `${source.fileName}:${start} ${nameOf(node)}`, lines: line(node.end) - start + 1 })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function nameOf(node: ts.SignatureDeclaration): string {
  const { parent } = node
  const name = node.name ?? (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) ? parent.name : undefined)
  return name?.getText() ?? '(anonymous)'
}

function report(what: string, sized: Sized[]): void {
  const sorted = sized.toSorted((one, other) => other.lines - one.lines)
  const quantile = (part: number): number => sorted[Math.floor((sorted.length - 1) * (1 - part))]?.lines ?? 0
  console.log(`${sorted.length} ${what}: median ${quantile(0.5)} lines, p90 ${quantile(0.9)}, largest ${sorted[0]?.lines ?? 0}`)
  for (const { name, lines } of sorted.slice(0, SHOWN)) console.log(`  ${String(lines).padStart(4)}  ${name}`)
}
