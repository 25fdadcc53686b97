import { eventually, operatorClient } from '@gateway/testkit'
import type { ApiConnection } from '@gateway/testkit/merchants'
import type { Fleet } from '../fleet/fleet.ts'
import { committedBy } from '../load/account.ts'
import { auditGaps } from '@gateway-tools/load/pages'
import {
  unacknowledged,
  unacknowledgedRefunds,
  type History,
  type NetworkPayment,
  type NetworkRefund,
  type ShownRefund,
  type StoredChange,
} from '@gateway/simulation/check/history'
import type { Receivers } from './receivers.ts'

type FinalState = Pick<History, 'changes' | 'payments' | 'refunds' | 'networkRefunds' | 'gaps'>

/** Reads what is stored once it is complete, or at the deadline as it is: then the rules say what is missing. */
export async function readFinalState(
  fleet: Fleet,
  network: ApiConnection,
  receivers: Receivers,
  refunds: readonly ShownRefund[],
  deadlineMs: number,
): Promise<FinalState> {
  const operator = operatorClient(fleet.webhook_operator)
  let state: FinalState = { changes: [], payments: [], refunds, networkRefunds: [], gaps: [] }
  const read = async (): Promise<void> => {
    const changes = await storedChanges(fleet)
    const [payments, networkRefunds]: [NetworkPayment[], NetworkRefund[]] = [[], []]
    for (const transaction of new Set(changes.map((change) => change.transaction))) {
      const known = await knownToNetwork(network, transaction)
      payments.push(...known.payments)
      networkRefunds.push(...known.refunds)
    }
    state = {
      changes,
      payments,
      refunds,
      networkRefunds,
      gaps: await auditGaps(operator).catch((error: unknown) => [String(error)]),
    }
    const left = unacknowledged({ changes, webhooks: receivers.webhooks })
    const untold = unacknowledgedRefunds({ refunds, refundWebhooks: receivers.refundWebhooks })
    const reversing = payments.filter(({ reversal }) => reversal === 'pending')
    if (left.length + untold.length + reversing.length + state.gaps.length > 0) throw new Error('not everything is done')
  }
  await eventually(read, { deadlineMs, pauseMs: 1000 }).catch(() => undefined)
  return state
}

async function storedChanges(fleet: Fleet): Promise<StoredChange[]> {
  const transitions = await committedBy(fleet)
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
    readonly refunds: readonly { readonly refund_id: string; readonly amount: string; readonly status: string }[]
  }[]
}

async function knownToNetwork(
  network: ApiConnection,
  transaction: string,
): Promise<{ payments: NetworkPayment[]; refunds: NetworkRefund[] }> {
  const { body } = await network.call<SandboxPayments>('GET', `/sandbox/payments/${transaction}`)
  const payments = body.payments.map(({ reference, outcome, amount, reversal }) => ({
    ...{ transaction, reference, outcome, amount },
    reversal: reversal?.status ?? null,
  }))
  const made = body.payments.flatMap((payment) => payment.refunds)
  return { payments, refunds: made.map(({ refund_id: id, amount, status }) => ({ transaction, id, amount, status })) }
}
