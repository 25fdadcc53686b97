import { parseAmount, type RefundReport } from '@gateway/contracts'
import type { Gateway, Refund } from '@gateway/sdk'
import { eventually } from '@gateway/testkit'
import type { ApiConnection } from '@gateway/testkit/merchants'
import { sum } from '@gateway-tools/load/statistics'
import type { AcceptedRefund, PaidOrder } from './refund-load.ts'

/** The refunds of one order, from the gateway and from the network. */
interface BothLedgers {
  readonly ours: readonly Refund[]
  readonly theirs: readonly RefundReport[]
}

const CAPTURED_PAISE = 49_900
const SETTLED_WITHIN_MS = 180_000

/** Waits until no refund of the order is pending, or until the time limit; then reads both ledgers. */
export async function readLedgers(gateway: Gateway, network: ApiConnection, order: PaidOrder): Promise<BothLedgers> {
  let ours: readonly Refund[] = []
  await eventually(
    async () => {
      ours = (await gateway.orders.find(order.orderId))?.transaction.refunds ?? []
      if (ours.some(({ status }) => status === 'pending')) throw new Error('a refund is pending')
    },
    { deadlineMs: SETTLED_WITHIN_MS, pauseMs: 200 },
  ).catch(() => undefined)
  const path = `/sandbox/payments/${order.transactionId}`
  const { body } = await network.call<{ payments: { refunds: RefundReport[] }[] }>('GET', path)
  return { ours, theirs: body.payments.flatMap(({ refunds }) => refunds) }
}

/** The number of errors in the ledgers, by kind; all zero when both are correct. */
export function compareLedgers(ledgers: readonly BothLedgers[], accepted: readonly AcceptedRefund[]) {
  const ours = ledgers.flatMap((both) => both.ours)
  const theirs = ledgers.flatMap((both) => both.theirs)
  const paidIds = theirs.filter(({ status }) => status === 'succeeded').map(({ refund_id }) => refund_id)
  const endedHere = new Set(ours.filter(({ status }) => status === 'succeeded').map(({ id }) => id))
  return {
    /** Captures with more refunded than captured, in either ledger. */
    accepted_sum_over_capture: ledgers.flatMap(({ ours: here, theirs: there }) => [here, there]).filter(isOverCapture).length,
    /** Accepted refunds that have not succeeded at the gateway or at the network. */
    lost: accepted.filter(({ id }) => !endedHere.has(id) || !paidIds.includes(id)).length,
    /** Refunds that the network made twice, or that the gateway does not know. */
    twice: paidIds.length - new Set(paidIds.filter((id) => endedHere.has(id))).size,
    ledger_difference_paise: Math.abs(paiseOf(ours) - paiseOf(theirs)),
  }
}

type Money = Pick<Refund, 'amount' | 'status'>

function isOverCapture(refunds: readonly Money[]): boolean {
  return paiseOf(refunds, ['pending', 'succeeded']) > CAPTURED_PAISE
}

function paiseOf(refunds: readonly Money[], statuses: readonly Money['status'][] = ['succeeded']): number {
  return sum(refunds.filter(({ status }) => statuses.includes(status)).map(({ amount }) => parseAmount(amount) ?? 0))
}
