import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, type NewOrder, type Order } from '@gateway/sdk'
import type { ShownRefund } from '@gateway/simulation/check/history'
import { keyOf, type Merchant } from './merchant.ts'
import type { Random } from '@gateway/simulation/kernel/random'
import type { Perform } from './recorder.ts'

export interface RefundOptions {
  readonly perform: Perform
  readonly random: Random
  readonly process: string
  readonly merchant: Merchant
  readonly order: NewOrder
  readonly pauseMs: number
  readonly maxTries: number
}

const MAX_REFUNDS = 3

/** Asks for up to three refunds at once, which together may be more than was paid. Each is repeated until the answer is clear. */
export async function refundSome({ random, order, ...options }: RefundOptions): Promise<void> {
  const paid = Number.parseInt(order.amount, 10)
  const wanted = Array.from({ length: random.whole(MAX_REFUNDS + 1) }, (_, index) => ({
    ...{ order_id: order.order_id, refund_id: `RF-${index + 1}`, amount: `${random.between(1, paid)}.00` },
  }))
  await Promise.all(wanted.map((refund) => ask(refund, options)))
}

type Wanted = Readonly<Record<'order_id' | 'refund_id' | 'amount', string>>

async function ask(refund: Wanted, options: Omit<RefundOptions, 'random' | 'order'>): Promise<void> {
  const { perform, process, merchant, pauseMs, maxTries } = options
  const { order_id: orderId, refund_id: refundId, amount } = refund
  const action = { f: 'refund', order: keyOf(merchant, orderId), refundId, amount } as const
  const seen = { isRefused: false }
  const create = () =>
    merchant.gateway.refunds.create(refund).catch((error: unknown) => {
      seen.isRefused = error instanceof ApiError && error.status < 500 && error.status !== 429
      throw error
    })
  for (let tries = 0; tries < maxTries && !seen.isRefused; tries++) {
    if (await perform(process, action, create, ({ id }) => ({ refund: id }))) return
    await sleep(pauseMs)
  }
}

/** The refunds of an order as a search shows them. */
export function shownRefunds(order: string, { transaction }: Order): ShownRefund[] {
  return transaction.refunds.map(({ id, refund_id: refundId, amount, status, sequence }) => ({
    ...{ order, transaction: transaction.id, id, refundId },
    ...{ amount, status, sequence },
  }))
}
