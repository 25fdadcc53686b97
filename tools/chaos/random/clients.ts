/** Merchants and shoppers that create, pay and search while faults go on, and write down what they saw. */
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, type CreatedOrder, type NewOrder, type Order } from '@gateway/sdk'
import type { ApiConnection } from '@gateway/testkit/merchants'
import type { Learnt, Operation, ShownRefund } from '@gateway/simulation/check/history'
import { keyOf, type Merchant } from './merchant.ts'
import { randomStream, type Random } from '@gateway/simulation/kernel/random'
import { createRecorder } from './recorder.ts'
import { refundSome, shownRefunds } from './refunds.ts'

export interface ClientsOptions {
  readonly seed: number
  readonly merchants: readonly Merchant[]
  /** The network's address, for the shopper's UPI app. */
  readonly network: ApiConnection
  /** Orders per second. */
  readonly perSecond: number
  readonly nowMs: () => number
}

export interface Clients {
  readonly operations: readonly Operation[]
  /** As the last searches showed them; complete once `settle` has ended. */
  readonly refunds: () => readonly ShownRefund[]
  /** Starts orders until it is stopped; resolves when every one of them has been seen through. */
  run(stop: AbortSignal): Promise<void>
  /** Searches for every order that may exist, until each is final and has no pending refund, or the time is over. */
  settle(deadlineMs: number): Promise<void>
}

/** Payers of the sandbox, as often as each is drawn; the empty one does not pay, so the order expires. */
const PAYERS = [
  ...Array<string>(4).fill('success@sandbox'),
  ...['slow', 'refused', 'lost', 'silent', 'duplicate'].map((refund) => `success.${refund}-refund@sandbox`),
  ...['failure', 'failure', 'slow', 'duplicate', 'reordered', 'twice', 'mismatch', 'late', 'silent'].map(
    (name) => `${name}@sandbox`,
  ),
  '',
]
/** A create or a refund without an answer is sent again, as the README tells merchants. */
const TRIES = 12
const PAUSE_MS = 700
const SEARCHES_AFTER_PAYMENT = 4

export function startClients({ seed, merchants, network, perSecond, nowMs }: ClientsOptions): Clients {
  const { operations, perform } = createRecorder(nowMs)
  const open = new Map<string, { readonly merchant: Merchant; readonly orderId: string }>()
  const refundsOf = new Map<string, readonly ShownRefund[]>()

  async function search(process: string, merchant: Merchant, orderId: string) {
    const order = keyOf(merchant, orderId)
    const found = await perform(process, { f: 'search', order }, () => searchFor(merchant, orderId), learnSearch)
    if (found) refundsOf.set(order, shownRefunds(order, found))
    return found
  }

  async function create(process: string, merchant: Merchant, order: NewOrder) {
    const action = { f: 'create', order: keyOf(merchant, order.order_id), amount: order.amount } as const
    for (let tries = 0; tries < TRIES; tries++) {
      const created = await perform(process, action, () => merchant.gateway.orders.create(order), learnCreate)
      if (created) return created
      await sleep(PAUSE_MS)
    }
    return undefined
  }

  async function journey(number: number): Promise<void> {
    const random = randomStream(seed, `journey/${number}`)
    const merchant = random.pick(merchants)
    const [order, vpa] = [drawOrder(random, `R-${seed}-${number}`), random.pick(PAYERS)]
    const [process, key] = [`merchant ${number}`, keyOf(merchant, order.order_id)]
    open.set(key, { merchant, orderId: order.order_id })
    // One order in four is created twice at once.
    const twice = random.whole(4) === 0 ? create(`${process}b`, merchant, order) : undefined
    const created = await create(process, merchant, order)
    await twice
    const { intent } = created?.checkout ?? {}
    if (typeof intent === 'string' && vpa !== '') {
      await sleep(random.between(0, 1500))
      const pay = () => payByUpi(network, intent, vpa)
      await perform(`shopper ${number}`, { f: 'pay', order: key, vpa }, pay, () => ({}))
    }
    let isPaid = false
    for (let searches = 0; searches < SEARCHES_AFTER_PAYMENT; searches++) {
      const found = await search(process, merchant, order.order_id)
      isPaid ||= found?.transaction.status === 'Success'
      await sleep(random.between(200, 1500))
    }
    if (isPaid) await refundSome({ perform, random, process, merchant, order, pauseMs: PAUSE_MS, maxTries: TRIES })
  }

  return {
    operations,
    refunds: () => [...refundsOf.values()].flat(),
    async run(stop) {
      const journeys: Promise<void>[] = []
      for (let number = 1; !stop.aborted; number++) {
        journeys.push(journey(number))
        await sleep(1000 / perSecond)
      }
      await Promise.all(journeys)
    },
    async settle(deadlineMs) {
      while (open.size > 0 && nowMs() < deadlineMs) {
        for (const [key, { merchant, orderId }] of open) {
          const found = await search('observer', merchant, orderId)
          const status = found?.transaction.status
          const isUnknown = found === undefined && operations.at(-1)?.learnt.code === 'order_not_found'
          const isRefunding = refundsOf.get(key)?.some((refund) => refund.status === 'pending') ?? false
          if (((status === 'Success' || status === 'Failed') && !isRefunding) || isUnknown) open.delete(key)
        }
        await sleep(PAUSE_MS)
      }
    },
  }
}

function drawOrder(random: Random, orderId: string): NewOrder {
  const customer = { id: 'C-1', name: 'Asha Rao', email: 'asha@example.com', phone: '9876543210' }
  const amount = `${random.between(2, 900)}.00`
  return { order_id: orderId, amount, description: 'Blue shirt', customer, expires_in: random.between(15, 45) }
}

async function searchFor({ gateway }: Merchant, orderId: string): Promise<Order> {
  const found = await gateway.orders.find(orderId)
  if (!found) throw new ApiError('This merchant has no such order', { status: 404, code: 'order_not_found' })
  return found
}

async function payByUpi(network: ApiConnection, intent: string, vpa: string): Promise<void> {
  const { status, body } = await network.call<{ code?: string }>('POST', '/sandbox/upi/pay', { intent, vpa })
  if (status >= 300) throw new ApiError('The network refused the payment', { status, code: body.code ?? '' })
}

function learnCreate({ transaction }: CreatedOrder): Learnt {
  return { transaction: transaction.id }
}

function learnSearch({ transaction }: Order): Learnt {
  return { transaction: transaction.id, status: transaction.status, sequence: transaction.sequence }
}
