import { readFileSync } from 'node:fs'
import type { Stack } from '@gateway-infra/local/stack-file'
import { merchantCalls } from '@gateway-tools/load/merchant-calls'
import { openMerchantLoad } from '@gateway-tools/load/merchant-load'
import { createMerchants } from '@gateway-tools/load/merchants'
import { openReceiver } from '@gateway-tools/load/receiver'

export type AbuseWorld = Awaited<ReturnType<typeof openWorld>>

/** Each address of 127.0.0.0/8 is another client of the gateway. Honest callers use 127.0.0.1. */
const ATTACKER = '127.0.0.2'
const MERCHANTS = 10

/** The stack, honest merchants with their shoppers and their load, and the address of the attackers. */
export async function openWorld(stack: Stack) {
  const ca = { cert: readFileSync(stack.ca_file, 'utf8'), key: readFileSync(stack.ca_key_file, 'utf8') }
  const [load, receiver] = [openMerchantLoad(), await openReceiver(ca)]
  const merchants = await createMerchants(stack, MERCHANTS, receiver.urls[0] ?? '')
  const setup = { baseUrl: stack.base_url, networkUrl: stack.network_url, merchants }
  await load.call('setup', setup)
  const calls = merchantCalls({ ...setup, connections: 1 })
  const order = await calls.create()
  await calls.close()
  const merchant = order && merchants[order.merchant]
  if (!merchant) throw new Error('the first order was refused')
  return {
    ...{ stack, merchants, receiver, load, attackerAddress: ATTACKER },
    /** A merchant with an order. */
    known: { ...order, merchant },
    async close() {
      await Promise.all([load.close(), receiver.close()])
    },
  }
}
