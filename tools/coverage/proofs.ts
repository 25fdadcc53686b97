/** Which tests name the rules that they prove. */
import ts from 'typescript'

/** A test with the rules in the comment above it: `// Proves: webhooks/only-200-acknowledges, webhooks/retried`. */
export interface Proof {
  readonly file: string
  /** As it is written; `%s` stands for the cases of a table. */
  readonly title: string
  readonly ruleIds: readonly string[]
}

const PROVES = /^\/\/ Proves: (.+)$/u

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
