/**
 * `npm run bench:refunds [-- --refunds 2000]`: refunds without faults, to compare their webhooks with those of payments; then 200
 * parallel refunds of one capture and 2,000 of many captures, while it kills every service (SIGKILL) in turn. Fails when a refund is
 * lost or made twice, when more than a capture is refunded, or when the ledgers of gateway and network differ by a paisa.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { DEFAULT_SCOPES } from '@gateway/contracts'
import { Gateway } from '@gateway/sdk'
import { connectApi, createMerchant } from '@gateway/testkit/merchants'
import { withTemporaryBacking } from '@gateway-infra/local/temporary-backing'
import { runCommand } from '@gateway-infra/system/run-command'
import { openReceiver, untilSettled, type Receiver } from '@gateway-tools/load/receiver'
import { firstArrivals, summarize } from '@gateway-tools/load/statistics'
import type { Fleet } from '../fleet/fleet.ts'
import { withFleet } from '../load/with-fleet.ts'
import { compareLedgers, readLedgers } from './ledgers.ts'
import { forEach, refundLoad, type AcceptedRefund, type PaidOrder } from './refund-load.ts'

const PARALLEL = 200
const WIDTH = 20
/** Refunds of one order; sixteen refunds of 30 rupees fit into the capture of 499. */
const REFUNDS_EACH = 20
const VPAS = ['success', 'success.lost-refund', 'success.duplicate-refund', 'success.slow-refund', 'success.silent-refund']
const WEBHOOKS_WITHIN_MS = 120_000

await runCommand((context, args) => {
  const { values } = parseArgs({ args: [...args], options: { refunds: { type: 'string', default: '2000' } } as const })
  return withTemporaryBacking(context, ({ mongoUrl, amqpUrl, kind }) =>
    withFleet({ backing: { mongoUrl, amqpUrl, isTemporary: kind !== 'given' }, replicas: 1 }, async (fleet) => {
      const world = await openWorld(fleet)
      try {
        const quiet = await measureQuiet(world)
        const { wrong, ...faulty } = await refundUnderKills(fleet, world, Number(values.refunds))
        console.log(JSON.stringify({ parallel_refunds: PARALLEL, ...wrong, ...quiet, ...faulty }))
        return Object.values(wrong).every((count) => count === 0)
      } finally {
        await world.close()
      }
    }),
  )
})

type World = Awaited<ReturnType<typeof openWorld>>

/** A merchant that may refund, and its server. */
async function openWorld(fleet: Fleet) {
  const { baseUrl, networkUrl, secrets, ca } = fleet
  const [connection, network] = [connectApi(baseUrl, { connections: PARALLEL }), connectApi(networkUrl)]
  const receiver = await openReceiver({ cert: readFileSync(ca.certFile, 'utf8'), key: readFileSync(ca.keyFile, 'utf8') })
  const operator = {
    url: `http://127.0.0.1:${fleet.anyReplica('auth-token').operatorPort}`,
    token: secrets.authTokenOperatorToken,
  }
  const credentials = await createMerchant(operator, { name: 'Refund Stores', scopes: [...DEFAULT_SCOPES, 'refunds'] })
  const gateway = new Gateway({ baseUrl, credentials, fetch: connection.fetch, maxRetries: 0 })
  const url = receiver.urls[0] ?? ''
  await gateway.endpoint.register(url)
  await gateway.refundEndpoint.register(url)
  const close = () => Promise.all([connection.close(), network.close(), receiver.close()])
  return { gateway, network, receiver, load: refundLoad({ gateway, network }), close }
}

/** How long a payment and a refund take from the call to their last webhook, at a low rate; then refunds at full speed. */
async function measureQuiet({ load, receiver }: World) {
  const orders: PaidOrder[] = []
  for (let n = 0; n < 80; n++) orders.push(await load.pay('success@sandbox'))
  const refunds: AcceptedRefund[] = []
  for (const order of orders) refunds.push(await accepted(load.refund(order, 'RF-0', '10.00')))
  const ids = [...orders.map(({ transactionId }) => transactionId), ...refunds.map(({ id }) => id)]
  await untilSettled(
    receiver,
    ids.flatMap((id) => [`${id}.1`, `${id}.2`]),
    WEBHOOKS_WITHIN_MS,
  )
  const arrived = firstArrivals(await receiver.call('take'))
  const took = (id: string, sinceMs: number): number => (arrived.get(`${id}.2`) ?? NaN) - sinceMs

  const startedMs = performance.now()
  const wanted = [1, 2, 3, 4, 5, 6].flatMap((n) => orders.map((order) => ({ order, n })))
  const fast: AcceptedRefund[] = []
  await forEach(wanted, WIDTH, async ({ order, n }) => void fast.push(await accepted(load.refund(order, `RF-${n}`, '10.00'))))
  await settleWebhooks(receiver, fast)
  const perSecond = fast.length / ((performance.now() - startedMs) / 1000)
  return {
    refunds_per_second: Math.round(perSecond),
    refund_webhook_ms: quantiles(refunds.map(({ id, askedAtMs }) => took(id, askedAtMs))),
    payment_webhook_ms: quantiles(orders.map(({ transactionId, paidAtMs }) => took(transactionId, paidAtMs))),
  }
}

async function refundUnderKills(fleet: Fleet, { gateway, network, load, receiver }: World, count: number) {
  const one = await load.pay('success@sandbox')
  const many: PaidOrder[] = []
  for (let n = 0; n < count / REFUNDS_EACH; n++) many.push(await load.pay(`${VPAS[n % VPAS.length]}@sandbox`))
  const done: AcceptedRefund[] = []
  const ask = async (order: PaidOrder, n: number, amount: string): Promise<void> => {
    const refund = await load.refund(order, `RF-${n}`, amount)
    if (refund) done.push(refund)
  }
  const rounds = Array.from({ length: REFUNDS_EACH }, (_, n) => many.map((order) => ({ order, n }))).flat()
  let isLoaded = false
  const loading = Promise.all([
    ...Array.from({ length: PARALLEL }, (_, n) => ask(one, n, '50.00')),
    forEach(rounds, WIDTH, ({ order, n }) => ask(order, n, '30.00'), 200),
  ]).finally(() => (isLoaded = true))
  const [killed] = await Promise.all([killInTurn(fleet, () => isLoaded), loading])

  const ledgers = []
  for (const order of [one, ...many]) ledgers.push(await readLedgers(gateway, network, order))
  const webhooksLost = await settleWebhooks(receiver, done)
  const wrong = { ...compareLedgers(ledgers, done), webhooks_lost: webhooksLost }
  return { wrong, refunds_asked: PARALLEL + rounds.length, refunds_accepted: done.length, services_killed: killed }
}

/** Kills each service and starts it again, one after the other: once each at least, and until the load ends. */
async function killInTurn(fleet: Fleet, isLoaded: () => boolean): Promise<number> {
  let killed = 0
  do {
    for (const replica of fleet.replicas) {
      await replica.kill()
      await replica.start()
      await fleet.untilServing(replica)
      killed += 1
    }
  } while (!isLoaded())
  return killed
}

/** Waits for both webhooks of each refund. Resolves to the number of missing ones. */
async function settleWebhooks(receiver: Receiver, refunds: readonly AcceptedRefund[]): Promise<number> {
  const ids = refunds.flatMap(({ id }) => [`${id}.1`, `${id}.2`])
  return (await untilSettled(receiver, ids, WEBHOOKS_WITHIN_MS)).missing.length
}

async function accepted(refund: Promise<AcceptedRefund | undefined>): Promise<AcceptedRefund> {
  const found = await refund
  if (!found) throw new Error('a refund within the capture was refused')
  return found
}

function quantiles(values: readonly number[]) {
  const { p50, p99 } = summarize(values)
  return { p50: Math.round(p50), p99: Math.round(p99) }
}
