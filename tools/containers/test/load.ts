/** Creates and pays orders until it is stopped, and records what was acknowledged. */
import { anOrder, eventually } from '@gateway/testkit'
import type { MerchantSite } from '@gateway-tools/e2e/support/merchant-site'
import type { UpiApp } from '@gateway-tools/e2e/support/merchant'
import { runPaced } from '@gateway-tools/load/pacing'

export interface Load {
  /** Transactions of the orders that were answered 201 or 200, by order id: none of these may be lost. */
  readonly acknowledged: ReadonlyMap<string, string>
  /** Create requests that ended: with any status, or without an answer. */
  readonly answered: number
  /** Resolves when no request is in flight. Rejects when a payment was refused until its deadline. */
  stop(): Promise<void>
}

const ORDERS_PER_SECOND = 6
const MAX_WAITING = 300
const PAID_WITHIN_MS = 90_000

/** Creates orders and pays each acknowledged one, with retries until the network accepts the payment. */
export function startLoad({ merchant: { gateway } }: MerchantSite, app: UpiApp): Load {
  const acknowledged = new Map<string, string>()
  const refused: unknown[] = []
  let answered = 0
  let isStopped = false

  const pay = async (intent: string): Promise<void> => {
    await eventually(
      async () => {
        const { status } = await app.pay(intent, 'success@sandbox')
        // 409: the network accepted an earlier try, and its answer was lost.
        if (status !== 202 && status !== 409) throw new Error(`the payment was refused: ${status}`)
      },
      { deadlineMs: PAID_WITHIN_MS, pauseMs: 500 },
    )
  }
  const createAndPay = async (): Promise<void> => {
    const order = anOrder()
    const created = await gateway.orders.create(order).catch(() => undefined)
    answered += 1
    if (!created) return
    acknowledged.set(order.order_id, created.transaction.id)
    await pay(created.checkout.intent).catch((error: unknown) => refused.push(error))
  }
  const pace = { perSecond: ORDERS_PER_SECOND, durationMs: Infinity, isStopped: () => isStopped, maxWaiting: MAX_WAITING }
  const running = runPaced(pace, createAndPay)
  return {
    acknowledged,
    get answered() {
      return answered
    },
    async stop() {
      isStopped = true
      await running
      if (refused.length > 0) throw refused[0]
    },
  }
}
