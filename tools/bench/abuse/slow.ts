import { setTimeout as sleep } from 'node:timers/promises'
import { anOrder } from '@gateway/testkit'
import { connectApi } from '@gateway/testkit/merchants'
import { arrivalsPerSecond, byTurns, summarize } from '@gateway-tools/load/statistics'
import { createMerchants } from '@gateway-tools/load/merchants'
import { runPaced } from '@gateway-tools/load/pacing'
import { untilSettled } from '@gateway-tools/load/receiver'
import { openAttackers } from './attackers.ts'
import { flood, gatewayOf, type AbuseWorld } from './world.ts'

const [HUNG_MERCHANTS, HUNG_ORDERS_EACH] = [8, 10]
/** After this time deliveries to hung names have used up their attempts, or wait for the circuit breaker. */
const HUNG_ATTEMPTS_END_MS = 5000
const WEBHOOK_RUN = { concurrency: 16, durationMs: 5000 }
const WEBHOOKS_WITHIN_MS = 60_000

/** Webhooks per second to a healthy endpoint, beside those of eight merchants whose name servers never answer. */
export async function slowDns(world: AbuseWorld) {
  const { stack, load, receiver } = world
  const hung = await Promise.all(
    Array.from({ length: HUNG_MERCHANTS }, (_, number) => createMerchants(stack, 1, `https://hung-${number}.example/webhooks`)),
  )
  const gateways = hung.flat().map((merchant) => gatewayOf(world, merchant))
  const webhooksPerSecond = async (): Promise<number> => {
    await receiver.call('take')
    const { transactionIds } = await load.call('callers', 'create', WEBHOOK_RUN)
    const events = transactionIds.map((id) => `${id}.1`)
    const { missing } = await untilSettled(receiver, events, WEBHOOKS_WITHIN_MS)
    if (missing.length > 0) throw new Error(`${missing.length} webhooks of healthy merchants did not arrive`)
    return arrivalsPerSecond(await receiver.call('take'))
  }
  await webhooksPerSecond()
  return byTurns(webhooksPerSecond, async () => {
    for (let round = 0; round < HUNG_ORDERS_EACH; round++)
      for (const { orders } of gateways) await flood(1, () => orders.create(anOrder({ expires_in: 3600 })))
    return () => sleep(HUNG_ATTEMPTS_END_MS)
  })
}

const PAGE_RUN = { perSecond: 50, durationMs: 8000 }
const WARM_PAGES = 2000

/** The p99 of page loads in milliseconds, beside 500 connections on each of which a form arrives by one byte a second. */
export async function slowBodies({ stack, known }: AbuseWorld) {
  const shopper = connectApi(stack.base_url, { connections: 16 })
  const path = new URL(known.checkoutUrl).pathname
  const p99OfPages = async (): Promise<number> => {
    const tookMs: number[] = []
    await runPaced(PAGE_RUN, async () => {
      const startedMs = performance.now()
      const { status } = await shopper.call('GET', path)
      if (status !== 200) throw new Error(`an honest page load was answered with ${status}`)
      tookMs.push(performance.now() - startedMs)
    })
    return summarize(tookMs).p99
  }
  await flood(WARM_PAGES, () => shopper.call('GET', path))
  const attackers = openAttackers()
  const result = await byTurns(p99OfPages, async () => {
    await attackers.call('drip', stack.base_url, `${path}/pay`)
    return () => attackers.call('end')
  })
  await Promise.all([shopper.close(), attackers.close()])
  return result
}
