import type { TransactionStatusChanged } from '@gateway/contracts'
import { freePort, jsonClient } from '@gateway/testkit'
import type { World } from '../world.ts'
import { startCommitted } from './committed.ts'

interface Answer {
  readonly data: { readonly gaps: readonly { readonly kind: string; readonly id: string }[] }
  readonly next_cursor: string | null
}

/** What the operators' audit says of these committed status changes: each gap as `<kind> <id>`. */
export async function auditOf(world: World, committed: readonly TransactionStatusChanged[]): Promise<string[]> {
  const export_ = await startCommitted(committed)
  const operatorPort = await freePort()
  const dispatcher = await world.startDispatcher({
    OPERATOR_PORT: String(operatorPort),
    PAYMENT_STATUS_URL: export_.url,
    WEBHOOK_AUDIT_GRACE: '1ms',
  })
  try {
    const authorization = `Bearer ${world.config.operatorToken}`
    const operator = jsonClient(`http://127.0.0.1:${operatorPort}`, { authorization })
    const gaps: string[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const path: string = `/operator/v1/audit${cursor === '' ? '' : `?cursor=${cursor}`}`
      const { status, body } = await operator<Answer>('GET', path)
      if (status !== 200) throw new Error(`the audit answers ${status}: ${JSON.stringify(body)}`)
      gaps.push(...body.data.gaps.map(({ kind, id }) => `${kind} ${id}`))
      cursor = body.next_cursor
    }
    return gaps
  } finally {
    await dispatcher.stop()
    await export_.stop()
  }
}
