import type { JsonClient } from '@gateway/testkit'

interface AuditStep {
  readonly data: { readonly gaps: readonly { readonly kind: string; readonly id: string }[] }
  readonly next_cursor: string | null
}

/** What the operators' audit of the webhook dispatcher names, each as `<kind> <id>`. Rejects when it does not answer 200. */
export async function auditGaps(operator: JsonClient): Promise<string[]> {
  const gaps: string[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const path: string = `/operator/v1/audit${cursor === '' ? '' : `?cursor=${cursor}`}`
    const { status, body } = await operator<AuditStep>('GET', path)
    if (status !== 200) throw new Error(`the audit answers ${status}: ${JSON.stringify(body)}`)
    gaps.push(...body.data.gaps.map(({ kind, id }) => `${kind} ${id}`))
    cursor = body.next_cursor
  }
  return gaps
}
