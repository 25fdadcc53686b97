import { setTimeout as sleep } from 'node:timers/promises'
import type { RefundResponse } from '@gateway/contracts'
import { anOrder, eventually } from '@gateway/testkit'
import type { ApiAnswer, ApiConnection, MerchantClient } from '@gateway/testkit/merchant-client'

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
  /** When the merchant first asked, in milliseconds since 1970. */
  readonly askedAtMs: number
}

const ANSWERED_WITHIN_MS = 120_000
const nowMs = (): number => performance.timeOrigin + performance.now()

/** A merchant's paid orders and their refunds. Calls without a clear answer are repeated with the same ids. */
export function refundLoad({ merchant, network }: { merchant: MerchantClient; network: ApiConnection }) {
  return {
    /** An order of 499 rupees, paid by this VPA. */
    async pay(vpa: string): Promise<PaidOrder> {
      const order = anOrder({ amount: '499.00', expires_in: 3600 })
      const { body } = await untilClear(() => merchant.create(order))
      const paidAtMs = nowMs()
      await untilClear(() => network.call('POST', '/sandbox/upi/pay', { intent: body.checkout.intent, vpa }))
      await eventually(async () => {
        const { status } = (await merchant.search(order.order_id)).body.data.transaction
        if (status !== 'Success') throw new Error(`the order is ${status}`)
      })
      return { orderId: order.order_id, transactionId: body.data.transaction.id, paidAtMs }
    },

    /** Resolves to `undefined` when the gateway refuses it because the capture is used up. */
    async refund(order: PaidOrder, refundId: string, amount: string): Promise<AcceptedRefund | undefined> {
      const askedAtMs = nowMs()
      const request = { order_id: order.orderId, refund_id: refundId, amount }
      const answer = await untilClear(() => merchant.call<RefundResponse & { code?: string }>('POST', '/api/v1/refunds', request))
      if (answer.body.code === 'refund_exceeds_captured') return undefined
      if (answer.status > 201) throw new Error(`a refund was answered ${answer.status} ${answer.text}`)
      return { id: answer.body.data.refund.id, order, askedAtMs }
    },
  }
}

/** Does the work for every item, `width` at a time. A pause after each keeps the load from ending before the faults do. */
export async function forEach<T>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<void>,
  pauseMs = 0,
): Promise<void> {
  const queue = [...items]
  const worker = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
      await work(item)
      if (pauseMs > 0) await sleep(pauseMs)
    }
  }
  await Promise.all(Array.from({ length: width }, worker))
}

/** Repeats a call until its answer is neither lost nor a refusal for now. */
function untilClear<T>(call: () => Promise<ApiAnswer<T>>): Promise<ApiAnswer<T>> {
  return eventually(
    async () => {
      const answer = await call()
      if (answer.status >= 500 || answer.status === 429) throw new Error(`the answer is ${answer.status} ${answer.text}`)
      return answer
    },
    { deadlineMs: ANSWERED_WITHIN_MS, pauseMs: 50 },
  )
}
