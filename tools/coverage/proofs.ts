/** Which tests say that they prove which rules. */
import ts from 'typescript'

/** A test with the rules that a comment above it names: `// Proves: webhooks/only-200-acknowledges, webhooks/retried`. */
export interface Proof {
  readonly file: string
  /** As it is written; a table's `%s` stands for its cases. */
  readonly title: string
  readonly ruleIds: readonly string[]
}

const PROVES = /^\/\/ Proves: (.+)$/u

/** Reads one test file. Throws when a `// Proves:` comment does not stand directly above a test. */
export function readProofs(file: string, text: string): Proof[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const proofs: Proof[] = []
  let commentsRead = 0
  const visit = (node: ts.Node): void => {
    if (ts.isExpressionStatement(node)) {
      const comments = commentsAbove(node, text)
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

/** The ids that each `// Proves:` comment above a statement lists. */
function commentsAbove(node: ts.Node, text: string): string[] {
  return (ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []).flatMap(({ pos, end }) => {
    const [, ids] = PROVES.exec(text.slice(pos, end)) ?? []
    return ids === undefined ? [] : [ids]
  })
}

/** The first string in the outermost call: the title of `test('…')`, `test.each(table)('…')` or `describe('…')`. */
function titleOf({ expression }: ts.ExpressionStatement, file: string): string {
  const [first] = ts.isCallExpression(expression) ? expression.arguments : []
  if (first === undefined || !ts.isStringLiteralLike(first))
    throw new Error(`${file}: "// Proves:" stands above something that is no test: ${expression.getText().slice(0, 60)}`)
  return first.text
}
