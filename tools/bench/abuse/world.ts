import { Gateway } from '@gateway/sdk'
import { anOrder } from '@gateway/testkit'
import { connectApi, type MerchantCredentials } from '@gateway/testkit/merchants'
import type { Bench } from '../payments/stack.ts'

export type AbuseWorld = Awaited<ReturnType<typeof openWorld>>

/** Each address of 127.0.0.0/8 is another client of the gateway. Honest callers use 127.0.0.1. */
export const ATTACKER = { localAddress: '127.0.0.2' }
const FLOODERS = 20

/** The stack, honest merchants with their shoppers and their load, and the connections of the attackers. */
export async function openWorld(bench: Bench) {
  const { stack, merchants } = bench
  const [merchant] = merchants
  if (!merchant) throw new Error('there is no merchant')
  const attacker = connectApi(stack.base_url, { connections: FLOODERS, ...ATTACKER })
  const order = anOrder({ expires_in: 3600 })
  const { checkout, transaction } = await gatewayOf(bench, merchant).orders.create(order)
  const known = { merchant, orderId: order.order_id, transactionId: transaction.id, checkoutUrl: checkout.url }
  /** `known` is a merchant with an order. */
  return { ...bench, attacker, known }
}

/** A merchant's SDK client that never retries. By default it uses the global fetch, whose connections all such clients share. */
export function gatewayOf(
  { stack }: { readonly stack: Pick<Bench['stack'], 'base_url'> },
  credentials: MerchantCredentials,
  via: { fetch?: typeof fetch } = {},
) {
  return new Gateway({ baseUrl: stack.base_url, credentials, maxRetries: 0, ...via })
}

/** Makes `count` calls, `atOnce` at a time. Resolves to their answers, `undefined` for calls that were refused or got none. */
export async function flood<T>(
  count: number,
  call: (index: number) => Promise<T>,
  atOnce = FLOODERS,
): Promise<(T | undefined)[]> {
  const answers: (T | undefined)[] = []
  let next = 0
  const caller = async (): Promise<void> => {
    while (next < count) answers.push(await call(next++).catch(() => undefined))
  }
  await Promise.all(Array.from({ length: atOnce }, caller))
  return answers
}

/** The share of answers with this status. */
export function shareOf(answers: readonly ({ readonly status: number } | undefined)[], status: number): number {
  return answers.filter((answer) => answer?.status === status).length / answers.length
}
