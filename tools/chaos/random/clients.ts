/** Merchants and shoppers that create, pay and search while faults go on, and write down what they saw. */
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, type NewOrder, type Order } from '@gateway/sdk'
import type { ApiConnection } from '@gateway/testkit/merchants'
import type { Learnt, ShownRefund } from '@gateway/simulation/check/history'
import { createRecorder, keyOf, type Merchant, type Perform } from './merchant.ts'
import { randomStream, type Random } from '@gateway/simulation/kernel/random'

export interface ClientsOptions {
  readonly seed: number
  readonly merchants: readonly Merchant[]
  /** The network's address, for the shopper's UPI app. */
  readonly network: ApiConnection
  /** Orders per second. */
  readonly perSecond: number
  readonly nowMs: () => number
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
const MAX_REFUNDS = 3

export function startClients({ seed, merchants, network, perSecond, nowMs }: ClientsOptions) {
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
      const send = () => merchant.gateway.orders.create(order)
      const created = await perform(process, action, send, ({ transaction }) => ({ transaction: transaction.id }))
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
    if (isPaid) await refundSome(order, random, { perform, process, merchant })
  }

  return {
    operations,
    /** As the last searches showed them; complete once `settle` has ended. */
    refunds: () => [...refundsOf.values()].flat(),
    /** Starts orders until it is stopped; resolves when every one of them has been seen through. */
    async run(stop: AbortSignal): Promise<void> {
      const journeys: Promise<void>[] = []
      for (let number = 1; !stop.aborted; number++) {
        journeys.push(journey(number))
        await sleep(1000 / perSecond)
      }
      await Promise.all(journeys)
    },
    /** Searches for every order that may exist, until each is final and has no pending refund, or the time is over. */
    async settle(deadlineMs: number): Promise<void> {
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

function learnSearch({ transaction }: Order): Learnt {
  return { transaction: transaction.id, status: transaction.status, sequence: transaction.sequence }
}

interface Refunding {
  readonly perform: Perform
  readonly process: string
  readonly merchant: Merchant
}

/** Asks for up to three refunds at once, which together may be more than was paid. Each is repeated until the answer is clear. */
async function refundSome(order: NewOrder, random: Random, refunding: Refunding): Promise<void> {
  const paid = Number.parseInt(order.amount, 10)
  const wanted = Array.from({ length: random.whole(MAX_REFUNDS + 1) }, (_, index) => ({
    ...{ order_id: order.order_id, refund_id: `RF-${index + 1}`, amount: `${random.between(1, paid)}.00` },
  }))
  await Promise.all(wanted.map((refund) => ask(refund, refunding)))
}

async function ask(
  refund: Readonly<Record<'order_id' | 'refund_id' | 'amount', string>>,
  { perform, process, merchant }: Refunding,
): Promise<void> {
  const { order_id: orderId, refund_id: refundId, amount } = refund
  const action = { f: 'refund', order: keyOf(merchant, orderId), refundId, amount } as const
  const seen = { isRefused: false }
  const create = () =>
    merchant.gateway.refunds.create(refund).catch((error: unknown) => {
      seen.isRefused = error instanceof ApiError && error.status < 500 && error.status !== 429
      throw error
    })
  for (let tries = 0; tries < TRIES && !seen.isRefused; tries++) {
    if (await perform(process, action, create, ({ id }) => ({ refund: id }))) return
    await sleep(PAUSE_MS)
  }
}

/** The refunds of an order as a search shows them. */
function shownRefunds(order: string, { transaction }: Order): ShownRefund[] {
  return transaction.refunds.map(({ id, refund_id: refundId, amount, status, sequence }) => ({
    ...{ order, transaction: transaction.id, id, refundId },
    ...{ amount, status, sequence },
  }))
}
