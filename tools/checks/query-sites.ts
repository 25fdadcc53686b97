/** Where the code sends queries to MongoDB, found by its text. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { ROOT } from '@gateway-infra/system/paths'

/** Without the simulator of the network: the sandbox's data is never divided. */
const CODE = [
  ...['services/*/src/*.ts', 'packages/*/src/*.ts', 'infra/local/*.ts'],
  ...[':!services/network-simulator', ':!packages/simulation', ':!packages/testkit', ':!*.test.ts'],
]
/** A file that sends queries has a connection, a collection or a model from one of these. */
const OF_MONGODB = /from '(?:mongoose|@gateway\/service-kit\/mongo)'|interface OutboxCollection|OutboxCollection \} from/u
const METHODS = new Set([
  ...['find', 'findOne', 'findById', 'findOneAndUpdate', 'findOneAndDelete', 'findOneAndReplace', 'aggregate', 'countDocuments'],
  ...['insertOne', 'insertMany', 'updateOne', 'updateMany', 'replaceOne', 'deleteOne', 'deleteMany', 'bulkWrite', 'distinct'],
])

/** Each call of a method that sends a query, as `<file>:<line>`. */
export function querySites(): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...CODE]
  const files = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim().split('\n')
  return files.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8')
    return OF_MONGODB.test(text) ? sitesIn(text).map((line) => `${file}:${line}`) : []
  })
}

/** The lines of such calls in a file's text. */
export function sitesIn(text: string): number[] {
  const source = ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest, true)
  const lines: number[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression) && isQuery(node)) {
      lines.push(source.getLineAndCharacterOfPosition(node.expression.name.getStart(source)).line + 1)
    }
    node.forEachChild(visit)
  }
  visit(source)
  return lines
}

/** True for a call on anything but an array, whose `find` takes a function. */
function isQuery({ expression, arguments: [argument] }: ts.CallExpression): boolean {
  if (!ts.isPropertyAccessExpression(expression) || !METHODS.has(expression.name.text)) return false
  return argument !== undefined && !ts.isFunctionLike(argument)
}
