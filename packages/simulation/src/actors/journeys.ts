import { setTimeout as sleep } from 'node:timers/promises'
import type { PaymentMethod } from '@gateway/contracts'
import { randomStream, type Random } from '../kernel/random.ts'
import type { Network } from '../kernel/network.ts'
import type { SimulatedProcess } from '../kernel/process.ts'
import { call } from './call.ts'
import { CHECKOUT_TOKEN } from './configs.ts'
import { MERCHANT_IDS, type Merchants, type NewOrder } from './merchants.ts'
import type { PaymentNetwork } from './network.ts'
import { payAs, STORIES } from './stories.ts'

export interface JourneysOptions {
  readonly process: SimulatedProcess
  readonly network: Network
  readonly merchants: Merchants
  readonly bank: PaymentNetwork
  readonly payments: number
  /** How long it takes until the last order is created. */
  readonly withinMs: number
}

const CREATE_TRIES = 30
const CREATE_PAUSE_MS = 1500
const ATTEMPT_TRIES = 4

/** Merchants and shoppers: every order from its creation to its payment, with searches and refunds. Resolves when all have ended. */
export async function runJourneys(options: JourneysOptions): Promise<void> {
  const { process, payments, withinMs } = options
  await Promise.all(
    Array.from({ length: payments }, async (_, index) => {
      const random = randomStream(process.kernel.seed, `journey/${index}`)
      await sleep(random.next() * withinMs)
      await journey(options, index, random)
    }),
  )
}

async function journey({ network, merchants, bank }: JourneysOptions, index: number, random: Random): Promise<void> {
  const [merchantId, story, method] = [random.pick(MERCHANT_IDS), random.pick(STORIES), random.pick(METHODS)]
  const order = drawOrder(random, index)
  const who = `merchant of ${order.orderId}`
  const create = async (name: string) => {
    for (let tries = 0; tries < CREATE_TRIES; tries++) {
      const created = await merchants.create(name, merchantId, order)
      if (created) return created
      await sleep(CREATE_PAUSE_MS)
    }
    return undefined
  }
  const twice = random.whole(4) === 0 ? create(`${who} again`) : undefined
  const created = await create(who)
  await twice
  if (!created) return
  await sleep(random.next() * 1500)
  const key = `${merchantId}/${order.orderId}`
  const attemptId = `${order.orderId}-attempt`
  const pays =
    story !== 'none' && (method === 'upi' || story === 'late' || (await startAttempt(network, created.id, attemptId, method)))
  const pay = { tr: created.id, ...(method === 'upi' ? {} : { attempt_id: attemptId }), amount: order.amount, method }
  const expiresAtMs = Date.parse(created.expires_at)
  const paying = pays ? payAs(story, { bank, merchants, random, order: key, pay, expiresAtMs }) : undefined
  for (let searches = 0; searches < 3; searches++) {
    await sleep(200 + random.next() * 2000)
    await merchants.search(who, merchantId, order.orderId)
  }
  await paying
  if (random.whole(3) === 0) await refundSome(merchants, merchantId, order, random)
}

const METHODS: readonly PaymentMethod[] = ['upi', 'upi', 'credit_card', 'netbanking']

function drawOrder(random: Random, index: number): NewOrder {
  return {
    orderId: `ORD-${index}`,
    amount: `${random.between(2, 900)}.00`,
    expiresInSeconds: random.between(10, 22),
    maxAttempts: random.between(1, 2),
  }
}

/** As the checkout does: the attempt is committed before the network is called. */
async function startAttempt(network: Network, transaction: string, id: string, method: PaymentMethod): Promise<boolean> {
  for (let tries = 0; tries < ATTEMPT_TRIES; tries++) {
    const path = `/internal/v1/transactions/${transaction}/attempts`
    const body = { attempt_id: id, method }
    const answer = await call(network, { method: 'POST', host: 'payment-status', port: 8103, path, bearer: CHECKOUT_TOKEN, body })
    if (answer?.status === 201) return true
    if (answer && answer.status < 500) return false
    await sleep(700)
  }
  return false
}

/** Three refunds of half the amount each: of those at most two may be accepted, whoever answers. */
async function refundSome(merchants: Merchants, merchantId: string, order: NewOrder, random: Random): Promise<void> {
  for (let tries = 0; tries < 12; tries++) {
    const found = await merchants.search(`refunds of ${order.orderId}`, merchantId, order.orderId)
    if (found?.status === 'Success') break
    if (found?.status === 'Failed') return
    await sleep(2000)
  }
  const half = (Number(order.amount) / 2).toFixed(2)
  const ask = async (number: number) => {
    await sleep(random.next() * 300)
    for (let tries = 0; tries < 4; tries++) {
      if (await merchants.refund(merchantId, order.orderId, `${order.orderId}-R${number}`, half)) return
      await sleep(800)
    }
  }
  await Promise.all([ask(1), ask(2), ask(3)])
}
