import { eventually, type JsonClient } from '@gateway/testkit'
import type { ApiConnection } from '@gateway/testkit/merchants'
import type { Fleet } from '@gateway-tools/chaos/fleet/fleet'
import { clientOf, committedBy } from '@gateway-tools/chaos/load/account'
import { auditGaps } from '@gateway-tools/load/audit'
import type { History, NetworkPayment, StoredChange } from '../check/history.ts'
import { unacknowledged } from '../check/unacknowledged.ts'
import type { Receivers } from './receivers.ts'

type FinalState = Pick<History, 'changes' | 'payments' | 'gaps'>

/** Reads what is stored once it is complete, or at the deadline as it is: then the rules say what is missing. */
export async function readFinalState(
  fleet: Fleet,
  network: ApiConnection,
  receivers: Receivers,
  deadlineMs: number,
): Promise<FinalState> {
  const status = clientOf(fleet, 'payment-status', fleet.tokenOf('webhook-dispatcher'))
  const operator = clientOf(fleet, 'webhook-dispatcher', fleet.secrets.webhookOperatorToken, 'operatorPort')
  let state: FinalState = { changes: [], payments: [], gaps: [] }
  const read = async (): Promise<void> => {
    const changes = await storedChanges(status)
    const payments: NetworkPayment[] = []
    for (const transaction of new Set(changes.map((change) => change.transaction)))
      payments.push(...(await paymentsOf(network, transaction)))
    state = { changes, payments, gaps: await auditGaps(operator).catch((error: unknown) => [String(error)]) }
    const left = unacknowledged({ changes, webhooks: receivers.webhooks })
    const reversing = payments.filter(({ reversal }) => reversal === 'pending')
    if (left.length + reversing.length + state.gaps.length > 0) throw new Error('not everything is done')
  }
  await eventually(read, { deadlineMs, pauseMs: 1000 }).catch(() => undefined)
  return state
}

async function storedChanges(status: JsonClient): Promise<StoredChange[]> {
  const transitions = await committedBy(status)
  return transitions.map(({ transaction_id: transaction, sequence, status: led }) => ({
    transaction,
    sequence,
    ...(led !== undefined && { status: led }),
  }))
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
