import type { TransactionStatusChanged, TransitionsPage } from '@gateway/contracts'
import { freePort, jsonClient, startJsonServer, type JsonServer } from '@gateway/testkit'
import { auditGaps } from '@gateway-tools/load/audit'
import type { World } from '../world.ts'

/** The gaps that the operators' audit finds between these committed status changes and the deliveries: each as `<kind> <id>`. */
export async function auditOf(world: World, committed: readonly TransactionStatusChanged[]): Promise<string[]> {
  const paymentStatus = await serveTransitions(committed)
  const operatorPort = await freePort()
  const dispatcher = await world.startDispatcher({
    OPERATOR_PORT: String(operatorPort),
    PAYMENT_STATUS_URL: paymentStatus.url,
    WEBHOOK_AUDIT_GRACE: '1ms',
  })
  try {
    const authorization = `Bearer ${world.config.operators.get('operator')?.[0] ?? ''}`
    return await auditGaps(jsonClient(`http://127.0.0.1:${operatorPort}`, { authorization }))
  } finally {
    await dispatcher.stop()
    await paymentStatus.stop()
  }
}

/** Stands in for payment-status: its internal API gives the audit committed status changes, page by page. */
async function serveTransitions(committed: readonly TransactionStatusChanged[]): Promise<JsonServer> {
  const ordered = committed.toSorted((one, other) => (one.id < other.id ? -1 : 1))
  return startJsonServer(({ path, query }) => {
    if (path !== '/internal/v1/transitions') return { status: 404 }
    const cursor = query.get('cursor') ?? ''
    const limit = Number(query.get('limit') ?? 1000)
    const rest = ordered.filter(({ data }) => data.transaction_id > cursor)
    const page = rest.slice(0, limit)
    const body: TransitionsPage = {
      transitions: page.map(({ data, occurred_at: at }) => {
        const { transaction_id, sequence, merchant_id, status } = data
        return { transaction_id, sequence, merchant_id, status, at, published: true }
      }),
      next_cursor: rest.length > limit ? (page.at(-1)?.data.transaction_id ?? null) : null,
    }
    return { status: 200, body }
  })
}
