import type { TransactionStatusChanged, TransitionsPage } from '@gateway/contracts'
import { startJsonServer, type JsonServer } from '@gateway/testkit'

/** Stands where payment-status stands: exports committed status changes for the audit, page by page (its internal API). */
export async function startCommitted(committed: readonly TransactionStatusChanged[]): Promise<JsonServer> {
  const ordered = committed.toSorted((one, other) => (one.id < other.id ? -1 : 1))
  return startJsonServer(({ path, query }) => {
    if (path !== '/internal/v1/transitions') return { status: 404 }
    const cursor = query.get('cursor') ?? ''
    const limit = Number(query.get('limit') ?? 1000)
    const rest = ordered.filter(({ data }) => data.transaction_id > cursor)
    const page = rest.slice(0, limit)
    const body: TransitionsPage = {
      transitions: page.map(({ data, occurred_at: at }) => {
        const { transaction_id, sequence, merchant_id } = data
        return { transaction_id, sequence, merchant_id, at, published: true }
      }),
      next_cursor: rest.length > limit ? (page.at(-1)?.data.transaction_id ?? null) : null,
    }
    return { status: 200, body }
  })
}
