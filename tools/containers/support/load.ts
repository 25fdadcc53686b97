/** Orders and their payments without end, and what became of each. */
import { setTimeout as sleep } from 'node:timers/promises'
import { anOrder, eventually } from '@gateway/testkit'
import type { MerchantSite } from '@gateway-tools/e2e/support/merchant-site'
import type { UpiApp } from '@gateway-tools/e2e/support/upi-app'

export interface Load {
  /** Orders that were answered 201 or 200: none of these may be lost. */
  readonly acknowledged: ReadonlyMap<string, Acknowledged>
  /** Creates that were answered, well or not. */
  readonly answered: number
  /** Resolves when no request is under way. Rejects when a payment was refused until the deadline. */
  stop(): Promise<void>
}

interface Acknowledged {
  readonly transactionId: string
}

const WORKERS = 3
/** Of one worker, between two orders. */
const PAUSE_MS = 150
const PAID_WITHIN_MS = 90_000

/** Creates orders, and pays each that is acknowledged, again and again until the network says that it took the payment. */
export function startLoad(shop: MerchantSite, app: UpiApp): Load {
  const acknowledged = new Map<string, Acknowledged>()
  const payments: Promise<void>[] = []
  let answered = 0
  let isOver = false
  const over = (): boolean => isOver

  const pay = async (intent: string): Promise<void> => {
    await eventually(
      async () => {
        const { status } = await app.pay(intent, 'success@sandbox')
        // 409: an earlier try was taken, although its answer did not come through.
        if (status !== 202 && status !== 409) throw new Error(`the payment was refused: ${status}`)
      },
      { deadlineMs: PAID_WITHIN_MS, pauseMs: 500 },
    )
  }
  const work = async (): Promise<void> => {
    while (!over()) {
      const order = anOrder()
      const answer = await shop.merchant.create(order).catch(() => undefined)
      answered += 1
      if (answer && (answer.status === 201 || answer.status === 200)) {
        acknowledged.set(order.order_id, { transactionId: answer.body.data.transaction.id })
        const payment = pay(answer.body.checkout.intent)
        payment.catch(() => undefined)
        payments.push(payment)
      }
      await sleep(PAUSE_MS)
    }
  }
  const workers = Array.from({ length: WORKERS }, work)
  return {
    acknowledged,
    get answered() {
      return answered
    },
    async stop() {
      isOver = true
      await Promise.all(workers)
      await Promise.all(payments)
    },
  }
}
