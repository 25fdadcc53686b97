import { DEFAULT_SCOPES, parseAmount, type RefundReport } from '@gateway/contracts'
import { ApiError, Gateway, type Refund } from '@gateway/sdk'
import { anOrder, eventually } from '@gateway/testkit'
import { connectApi, createMerchant } from '@gateway/testkit/merchants'
import { openReceiver, untilSettled, type Receiver } from '@gateway-tools/load/receiver'
import { sum } from '@gateway-tools/load/statistics'
import type { Fleet } from '../fleet/fleet.ts'

export interface PaidOrder {
  readonly orderId: string
  readonly transactionId: string
  /** When the shopper paid, in milliseconds since 1970. */
  readonly paidAtMs: number
}

/** A refund that the gateway has accepted. */
export interface AcceptedRefund {
  /** The gateway's id. */
  readonly id: string
  /** The time of the merchant's first request, in milliseconds since 1970. */
  readonly askedAtMs: number
}

export type Refunds = Awaited<ReturnType<typeof openRefunds>>

const CONNECTIONS = 200
const VPAS = ['success', 'success.lost-refund', 'success.duplicate-refund', 'success.slow-refund', 'success.silent-refund']
const CAPTURED_PAISE = 49_900
const SETTLED_WITHIN_MS = 180_000
const WEBHOOKS_WITHIN_MS = 120_000
/** A call without a clear answer is sent again with the same ids until this time is over. */
const REPEATING = { maxRetries: 1000, deadlineMs: 120_000 }
const nowMs = (): number => performance.timeOrigin + performance.now()

/** A merchant that takes payments and refunds them. By default calls without a clear answer are retried, and a new receiver gets the webhooks. */
export async function openRefunds(fleet: Fleet, { isRepeated = true, given }: { isRepeated?: boolean; given?: Receiver } = {}) {
  const { base_url: baseUrl, network_url: networkUrl, operator } = fleet
  const [connection, network] = [connectApi(baseUrl, { connections: CONNECTIONS }), connectApi(networkUrl)]
  const receiver = given ?? (await openReceiver(fleet))
  const credentials = await createMerchant(operator, { name: 'Refund Stores', scopes: [...DEFAULT_SCOPES, 'refunds'] })
  const repeated = isRepeated ? REPEATING : { maxRetries: 0 }
  const gateway = new Gateway({ baseUrl, credentials, fetch: connection.fetch, ...repeated })
  const url = receiver.urls[0] ?? ''
  await gateway.endpoint.register(url)
  await gateway.refundEndpoint.register(url)

  /** The refunds of an order at the gateway, when none is pending or the time is over. */
  async function refundsOf({ orderId }: PaidOrder): Promise<readonly Refund[]> {
    let refunds: readonly Refund[] = []
    await eventually(
      async () => {
        refunds = (await gateway.orders.find(orderId))?.transaction.refunds ?? []
        if (refunds.some(({ status }) => status === 'pending')) throw new Error('a refund is pending')
      },
      { deadlineMs: SETTLED_WITHIN_MS, pauseMs: 200 },
    ).catch(() => undefined)
    return refunds
  }

  return {
    receiver,
    /** An order of 499 rupees, paid by this VPA. Call it only while there are no faults. */
    pay: async (vpa: string): Promise<PaidOrder> => {
      const order = anOrder({ amount: '499.00', expires_in: 3600 })
      const { checkout, transaction } = await gateway.orders.create(order)
      const paidAtMs = nowMs()
      await network.call('POST', '/sandbox/upi/pay', { intent: checkout.intent, vpa })
      await eventually(async () => {
        const found = await gateway.orders.find(order.order_id)
        if (found?.transaction.status !== 'Success') throw new Error(`the order is ${found?.transaction.status}`)
      })
      return { orderId: order.order_id, transactionId: transaction.id, paidAtMs }
    },

    /** Resolves to `undefined` when the gateway refuses it because the capture is used up. */
    refund: async ({ orderId }: PaidOrder, refundId: string, amount: string): Promise<AcceptedRefund | undefined> => {
      const askedAtMs = nowMs()
      try {
        const { id } = await gateway.refunds.create({ order_id: orderId, refund_id: refundId, amount })
        return { id, askedAtMs }
      } catch (error) {
        if (error instanceof ApiError && error.code === 'refund_exceeds_captured') return undefined
        throw error
      }
    },

    /** Waits until nothing is pending; then counts what is wrong in both ledgers, and missing webhooks. All zero when correct. */
    countWrong: async (orders: readonly PaidOrder[], accepted: readonly AcceptedRefund[]) => {
      const [ours, theirs]: [(readonly Refund[])[], RefundReport[][]] = [[], []]
      for (const order of orders) {
        ours.push(await refundsOf(order))
        const path = `/sandbox/payments/${order.transactionId}`
        const { body } = await network.call<{ payments: { refunds: RefundReport[] }[] }>('GET', path)
        theirs.push(body.payments.flatMap(({ refunds }) => refunds))
      }
      return { ...compareLedgers(ours, theirs, accepted), webhooks_lost: await settleWebhooks(receiver, accepted) }
    },

    async close(): Promise<void> {
      await Promise.all([connection.close(), network.close(), ...(given ? [] : [receiver.close()])])
    },
  }
}

/** The VPA of the nth order. VPAs take turns, so that every behaviour of the network occurs. */
export function vpaOf(n: number): string {
  return `${VPAS[n % VPAS.length]}@sandbox`
}

/** Waits for both webhooks of each refund or payment. Resolves to the number of missing ones. */
export async function settleWebhooks(receiver: Receiver, refunds: readonly Pick<AcceptedRefund, 'id'>[]): Promise<number> {
  const ids = refunds.flatMap(({ id }) => [`${id}.1`, `${id}.2`])
  return (await untilSettled(receiver, ids, WEBHOOKS_WITHIN_MS)).missing.length
}

type Money = Pick<Refund, 'amount' | 'status'>

/** The number of errors in the ledgers of gateway and network, which list the refunds of each order. */
function compareLedgers(
  ours: readonly (readonly Refund[])[],
  theirs: readonly (readonly RefundReport[])[],
  accepted: readonly AcceptedRefund[],
) {
  const hasSucceeded = ({ status }: Money): boolean => status === 'succeeded'
  const [here, there] = [ours.flat().filter(hasSucceeded), theirs.flat().filter(hasSucceeded)]
  const [endedHere, endedThere] = [new Set(here.map(({ id }) => id)), there.map(({ refund_id }) => refund_id)]
  const isOverCapture = (refunds: readonly Money[]): boolean =>
    paiseOf(refunds.filter(({ status }) => ['pending', 'succeeded'].includes(status))) > CAPTURED_PAISE
  return {
    /** Captures with more refunded than captured, in either ledger. */
    accepted_sum_over_capture: [...ours, ...theirs].filter(isOverCapture).length,
    /** Accepted refunds that have not succeeded at the gateway or at the network. */
    lost: accepted.filter(({ id }) => !endedHere.has(id) || !endedThere.includes(id)).length,
    /** Refunds that the network made twice, or that the gateway does not know. */
    twice: endedThere.length - new Set(endedThere.filter((id) => endedHere.has(id))).size,
    ledger_difference_paise: Math.abs(paiseOf(here) - paiseOf(there)),
  }
}

function paiseOf(refunds: readonly Money[]): number {
  return sum(refunds.map(({ amount }) => parseAmount(amount) ?? 0))
}
