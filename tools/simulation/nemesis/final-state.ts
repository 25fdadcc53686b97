import type { TransitionsPage } from '@gateway/contracts'
import { eventually, jsonClient, type JsonClient } from '@gateway/testkit'
import type { ApiConnection } from '@gateway/testkit/merchant-client'
import type { Fleet } from '@gateway-tools/chaos/fleet/fleet'
import { auditGaps } from '@gateway-tools/load/audit'
import type { History, NetworkPayment, StoredChange } from '../check/history.ts'
import type { Receivers } from './receivers.ts'

type FinalState = Pick<History, 'changes' | 'payments' | 'gaps'>

/** Reads what is stored once it is complete, or at the deadline as it is: then the rules say what is missing. */
export async function readFinalState(
  fleet: Fleet,
  network: ApiConnection,
  receivers: Receivers,
  deadlineMs: number,
): Promise<FinalState> {
  const { port } = fleet.anyReplica('payment-status')
  const { operatorPort } = fleet.anyReplica('webhook-dispatcher')
  const status = jsonClient(`http://127.0.0.1:${port}`, { authorization: `Bearer ${fleet.secrets.internalApiToken}` })
  const operator = jsonClient(`http://127.0.0.1:${operatorPort}`, {
    authorization: `Bearer ${fleet.secrets.webhookOperatorToken}`,
  })
  let state: FinalState = { changes: [], payments: [], gaps: [] }
  const read = async (): Promise<void> => {
    const changes = await storedChanges(status)
    const payments: NetworkPayment[] = []
    for (const transaction of new Set(changes.map((change) => change.transaction)))
      payments.push(...(await paymentsOf(network, transaction)))
    state = { changes, payments, gaps: await auditGaps(operator).catch((error: unknown) => [String(error)]) }
    const acknowledged = new Set(receivers.webhooks.filter(({ answered }) => answered === 200).map(({ id }) => id))
    const left = changes.filter(({ transaction, sequence }) => !acknowledged.has(`${transaction}.${sequence}`))
    const reversing = payments.filter(({ reversal }) => reversal === 'pending')
    if (left.length + reversing.length + state.gaps.length > 0) throw new Error('not everything is done')
  }
  await eventually(read, { deadlineMs, pauseMs: 1000 }).catch(() => undefined)
  return state
}

async function storedChanges(status: JsonClient): Promise<StoredChange[]> {
  const changes: StoredChange[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const query: string = cursor === '' ? '' : `&cursor=${cursor}`
    const { body } = await status<TransitionsPage>('GET', `/internal/v1/transitions?limit=1000${query}`)
    changes.push(
      ...body.transitions.map(({ transaction_id: transaction, sequence, status: led }) => ({
        transaction,
        sequence,
        ...(led !== undefined && { status: led }),
      })),
    )
    cursor = body.next_cursor
  }
  return changes
}

interface SandboxPayments {
  readonly payments: readonly {
    readonly reference: string
    readonly outcome: string
    readonly amount: string
    readonly reversal: { readonly status: string } | null
  }[]
}

async function paymentsOf(network: ApiConnection, transaction: string): Promise<NetworkPayment[]> {
  const { body } = await network.call<SandboxPayments>('GET', `/sandbox/payments/${transaction}`)
  return body.payments.map(({ reference, outcome, amount, reversal }) => ({
    transaction,
    reference,
    outcome,
    amount,
    reversal: reversal?.status ?? null,
  }))
}
