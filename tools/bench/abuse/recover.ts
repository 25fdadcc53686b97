import { setTimeout as sleep } from 'node:timers/promises'
import { anOrder } from '@gateway/testkit'
import { createMerchant } from '@gateway/testkit/merchants'
import { byTurns, summarize } from '@gateway-tools/load/statistics'
import { openAttackers } from './attackers.ts'
import { flood, gatewayOf, type AbuseWorld } from './world.ts'

const [DEAD, AT_ONCE, CALLS] = [250, 120, 100]

/** The p99 of one merchant's `recover` in milliseconds, beside 120 calls at once of another merchant every second. */
export async function recoverFlood(world: AbuseWorld) {
  const { stack, known, receiver } = world
  const since = new Date().toISOString()
  const flooder = await createMerchant(stack.operator, { name: 'Flooder' })
  const { orders, endpoint } = gatewayOf(world, flooder)
  // Without an endpoint each delivery is dead at once, and it stays dead: there is no original URL. One call takes four seconds.
  await flood(DEAD, () => orders.create(anOrder()))
  await endpoint.register(receiver.urls[0] ?? '')

  const own = gatewayOf(world, known.merchant).deliveries
  const p99OfRecover = async (): Promise<number> => {
    const tookMs: number[] = []
    for (let call = 0; call < CALLS; call++) {
      const startedMs = performance.now()
      await own.recover({ since: new Date().toISOString(), to: 'current' })
      tookMs.push(performance.now() - startedMs)
      // Below the limit of a merchant.
      await sleep(10)
    }
    return summarize(tookMs).p99
  }
  const program = openAttackers()
  const beginFlood = async () => {
    await program.call('recover', stack.base_url, flooder, since, AT_ONCE)
    return () => program.call('end')
  }
  // Not measured: all code of both paths is compiled first.
  const end = await beginFlood()
  await p99OfRecover()
  await end()
  const result = await byTurns(p99OfRecover, beginFlood)
  await program.close()
  return result
}
