import type { JsonClient } from '@gateway/testkit'

interface Page {
  readonly next_cursor: string | null
}

/** Every page of a list, whose pages name the next one. Rejects for an answer other than 200. */
export async function* pagesOf<P extends Page>(client: JsonClient, path: string): AsyncGenerator<P> {
  for (let cursor: string | null = ''; cursor !== null;) {
    const separator = path.includes('?') ? '&' : '?'
    const { status, body }: { status: number; body: P } = await client(
      'GET',
      cursor === '' ? path : `${path}${separator}cursor=${cursor}`,
    )
    if (status !== 200) throw new Error(`${path} answers ${status}: ${JSON.stringify(body)}`)
    yield body
    cursor = body.next_cursor
  }
}

interface AuditStep extends Page {
  readonly data: { readonly gaps: readonly { readonly kind: string; readonly id: string }[] }
}

/** What the operators' audit of the webhook dispatcher names, each as `<kind> <id>`. */
export async function auditGaps(operator: JsonClient): Promise<string[]> {
  const gaps: string[] = []
  for await (const { data } of pagesOf<AuditStep>(operator, '/operator/v1/audit'))
    gaps.push(...data.gaps.map(({ kind, id }) => `${kind} ${id}`))
  return gaps
}
