import { merchantCalls } from '@gateway-tools/load/merchant-calls'
import type { MeasuredStack } from '@gateway-tools/load/measured-stack'
import { openBench } from '../payments/stack.ts'

export type AbuseWorld = Awaited<ReturnType<typeof openWorld>>

/** Each address of 127.0.0.0/8 is another client of the gateway. Honest callers use 127.0.0.1. */
const ATTACKER = '127.0.0.2'
const MERCHANTS = 10

/** The stack, honest merchants with their shoppers and their load, and the address of the attackers. */
export async function openWorld(measured: MeasuredStack) {
  const bench = await openBench(measured, MERCHANTS)
  const { stack, merchants } = bench
  const urls = { baseUrl: stack.base_url, networkUrl: stack.network_url }
  const calls = merchantCalls({ ...urls, merchants, connections: 1 })
  const order = await calls.create()
  await calls.close()
  const merchant = order && merchants[order.merchant]
  if (!merchant) throw new Error('the first order was refused')
  /** `known` is a merchant with an order. */
  return { ...bench, urls, attackerAddress: ATTACKER, known: { ...order, merchant } }
}
