/** Merchants and shoppers that create, pay and search while faults go on, and write down what they saw. */
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, Gateway, type CreatedOrder, type NewOrder, type Order } from '@gateway/sdk'
import type { ApiConnection, MerchantCredentials } from '@gateway/testkit/merchants'
import type { Action, Learnt, Operation } from '../check/history.ts'
import { randomStream, type Random } from './random.ts'

/** A merchant's program. */
export interface Merchant {
  readonly merchantId: string
  /** An SDK client without retries, because each request is one operation of the history. */
  readonly gateway: Gateway
}

export function openMerchant(
  baseUrl: string,
  credentials: MerchantCredentials,
  fetch: ApiConnection['fetch'],
  timeoutMs: number,
): Merchant {
  return { merchantId: credentials.merchant_id, gateway: new Gateway({ baseUrl, credentials, fetch, timeoutMs, maxRetries: 0 }) }
}

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
  /** Starts orders until it is stopped; resolves when every one of them has been seen through. */
  run(stop: AbortSignal): Promise<void>
  /** Searches for every order that may exist, until each answer is final or the time is over. */
  settle(deadlineMs: number): Promise<void>
}

/** Payers of the sandbox, as often as each is drawn; the empty one does not pay, so the order expires. */
const PAYERS = [
  ...Array<string>(8).fill('success@sandbox'),
  ...['failure', 'failure', 'slow', 'duplicate', 'reordered', 'twice', 'mismatch', 'late', 'silent'].map(
    (name) => `${name}@sandbox`,
  ),
  '',
]
/** A create without an answer is sent again, as the README tells merchants. */
const CREATE_TRIES = 12
const PAUSE_MS = 700
const SEARCHES_AFTER_PAYMENT = 4

export function startClients({ seed, merchants, network, perSecond, nowMs }: ClientsOptions): Clients {
  const { operations, perform } = createRecorder(nowMs)
  const open = new Map<string, { readonly merchant: Merchant; readonly orderId: string }>()

  const search = (process: string, merchant: Merchant, orderId: string) =>
    perform(process, { f: 'search', order: keyOf(merchant, orderId) }, () => searchFor(merchant, orderId), learnSearch)

  async function create(process: string, merchant: Merchant, order: NewOrder) {
    const action = { f: 'create', order: keyOf(merchant, order.order_id), amount: order.amount } as const
    for (let tries = 0; tries < CREATE_TRIES; tries++) {
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
    for (let searches = 0; searches < SEARCHES_AFTER_PAYMENT; searches++) {
      await search(process, merchant, order.order_id)
      await sleep(random.between(200, 1500))
    }
  }

  return {
    operations,
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
          if (status === 'Success' || status === 'Failed' || isUnknown) open.delete(key)
        }
        await sleep(PAUSE_MS)
      }
    },
  }
}

/** Writes down what becomes of requests. */
function createRecorder(nowMs: () => number) {
  const operations: Operation[] = []
  /** Sends one request and records it in the history. Resolves to its result when it took effect. */
  async function perform<T>(
    process: string,
    action: Action,
    send: () => Promise<T>,
    learn: (result: T) => Learnt,
  ): Promise<T | undefined> {
    const invokedMs = nowMs()
    const note = (type: Operation['type'], learnt: Learnt) =>
      operations.push({ process, action, invokedMs, endedMs: nowMs(), type, learnt })
    try {
      const result = await send()
      note('ok', learn(result))
      return result
    } catch (error) {
      // A 429 and the other refusals were made before anything was stored.
      if (error instanceof ApiError) note(error.status >= 500 ? 'info' : 'fail', { code: error.code })
      else note('info', {})
    }
    return undefined
  }
  return { operations, perform }
}

function drawOrder(random: Random, orderId: string): NewOrder {
  const customer = { id: 'C-1', name: 'Asha Rao', email: 'asha@example.com', phone: '9876543210' }
  const amount = `${random.between(2, 900)}.00`
  return { order_id: orderId, amount, description: 'Blue shirt', customer, expires_in: random.between(15, 45) }
}

function keyOf({ merchantId }: Merchant, orderId: string): string {
  return `${merchantId}/${orderId}`
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
