import { ApiError, type Gateway } from '@gateway/sdk'
import { anOrder, eventually } from '@gateway/testkit'
import type { ApiConnection } from '@gateway/testkit/merchants'

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
  readonly order: PaidOrder
  /** The time of the merchant's first request, in milliseconds since 1970. */
  readonly askedAtMs: number
}

const ANSWERED_WITHIN_MS = 120_000
const nowMs = (): number => performance.timeOrigin + performance.now()

/** A merchant's paid orders and their refunds. When `isRepeated`, calls without a clear answer are sent again with the same ids. */
export function refundLoad(parts: { gateway: Gateway; network: ApiConnection; isRepeated: boolean }) {
  const { gateway, network, isRepeated } = parts
  return {
    /** An order of 499 rupees, paid by this VPA. Call it only while there are no faults. */
    async pay(vpa: string): Promise<PaidOrder> {
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
    async refund(order: PaidOrder, refundId: string, amount: string): Promise<AcceptedRefund | undefined> {
      const askedAtMs = nowMs()
      const request = { order_id: order.orderId, refund_id: refundId, amount }
      const answer = await untilClear(() => gateway.refunds.create(request), isRepeated)
      if (!(answer instanceof ApiError)) return { id: answer.id, order, askedAtMs }
      if (answer.code === 'refund_exceeds_captured') return undefined
      throw answer
    },
  }
}

/** Makes a call, if `isRepeated` until it succeeds or gets a final refusal. */
function untilClear<T>(call: () => Promise<T>, isRepeated: boolean): Promise<T | ApiError> {
  const refusedForGood = (error: unknown): ApiError => {
    if (error instanceof ApiError && error.status < 500 && error.status !== 429) return error
    throw error
  }
  const once = (): Promise<T | ApiError> => call().catch(refusedForGood)
  return isRepeated ? eventually(once, { deadlineMs: ANSWERED_WITHIN_MS, pauseMs: 50 }) : once()
}
