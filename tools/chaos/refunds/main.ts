/**
 * `npm run bench:refunds [-- --refunds 2000]`: refunds without faults, to compare their webhooks with those of payments; then 200
 * parallel refunds of one capture and 2,000 of many captures, while it kills every service (SIGKILL) in turn. Fails when a refund is
 * lost or made twice, when more than a capture is refunded, or when the ledgers of gateway and network differ by a paisa.
 */
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { withTemporaryBacking } from '@gateway-infra/local/temporary-backing'
import { runCommand } from '@gateway-infra/system/command'
import { firstArrivals, summarize } from '@gateway-tools/load/statistics'
import { withFleet, type Fleet } from '../fleet/fleet.ts'
import { openRefunds, settleWebhooks, vpaOf, type AcceptedRefund, type PaidOrder, type Refunds } from './refunds.ts'

const PARALLEL = 200
const WIDTH = 20
/** After each refund, so that the load does not end before the faults. */
const PAUSE_MS = 200
/** Refunds of one order; sixteen refunds of 30 rupees fit into the capture of 499. */
const REFUNDS_EACH = 20

await runCommand((context, args) => {
  const { values } = parseArgs({ args: [...args], options: { refunds: { type: 'string', default: '2000' } } as const })
  return withTemporaryBacking(context, (backing) =>
    withFleet({ backing, replicas: 1 }, async (fleet) => {
      const merchant = await openRefunds(fleet)
      try {
        const quiet = await measureQuiet(merchant)
        const { wrong, ...faulty } = await refundUnderKills(fleet, merchant, Number(values.refunds))
        console.log(JSON.stringify({ parallel_refunds: PARALLEL, ...wrong, ...quiet, ...faulty }))
        return Object.values(wrong).every((count) => count === 0)
      } finally {
        await merchant.close()
      }
    }),
  )
})

type Wanted = { readonly order: PaidOrder; readonly n: number }

/** How long a payment and a refund take from the call to their last webhook, at a low rate; then refunds at full speed. */
async function measureQuiet({ pay, refund, receiver }: Refunds) {
  const orders: PaidOrder[] = []
  for (let n = 0; n < 80; n++) orders.push(await pay('success@sandbox'))
  const refunds: AcceptedRefund[] = []
  for (const order of orders) refunds.push(await accepted(refund(order, 'RF-0', '10.00')))
  await settleWebhooks(receiver, [...orders.map(({ transactionId: id }) => ({ id })), ...refunds])
  const arrived = firstArrivals(await receiver.call('take'))
  const took = (id: string, sinceMs: number): number => (arrived.get(`${id}.2`) ?? NaN) - sinceMs

  const startedMs = performance.now()
  const wanted = [1, 2, 3, 4, 5, 6].flatMap((n) => orders.map((order) => ({ order, n })))
  const fast = await Readable.from(wanted)
    .map(({ order, n }: Wanted) => accepted(refund(order, `RF-${n}`, '10.00')), { concurrency: WIDTH })
    .toArray()
  await settleWebhooks(receiver, fast)
  const perSecond = fast.length / ((performance.now() - startedMs) / 1000)
  return {
    refunds_per_second: Math.round(perSecond),
    refund_webhook_ms: quantiles(refunds.map(({ id, askedAtMs }) => took(id, askedAtMs))),
    payment_webhook_ms: quantiles(orders.map(({ transactionId, paidAtMs }) => took(transactionId, paidAtMs))),
  }
}

async function refundUnderKills(fleet: Fleet, { pay, refund, countWrong }: Refunds, count: number) {
  const one = await pay('success@sandbox')
  const many: PaidOrder[] = []
  for (let n = 0; n < count / REFUNDS_EACH; n++) many.push(await pay(vpaOf(n)))
  const done: AcceptedRefund[] = []
  const ask = async (order: PaidOrder, n: number, amount: string): Promise<void> => {
    const made = await refund(order, `RF-${n}`, amount)
    if (made) done.push(made)
  }
  const rounds = Array.from({ length: REFUNDS_EACH }, (_, n) => many.map((order) => ({ order, n }))).flat()
  let isLoaded = false
  const loading = Promise.all([
    ...Array.from({ length: PARALLEL }, (_, n) => ask(one, n, '50.00')),
    Readable.from(rounds).forEach(({ order, n }: Wanted) => ask(order, n, '30.00').then(() => sleep(PAUSE_MS)), {
      concurrency: WIDTH,
    }),
  ]).finally(() => (isLoaded = true))
  const [killed] = await Promise.all([killInTurn(fleet, () => isLoaded), loading])

  const wrong = await countWrong([one, ...many], done)
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

async function accepted(refund: Promise<AcceptedRefund | undefined>): Promise<AcceptedRefund> {
  const found = await refund
  if (!found) throw new Error('a refund within the capture was refused')
  return found
}

function quantiles(values: readonly number[]) {
  const { p50, p99 } = summarize(values)
  return { p50: Math.round(p50), p99: Math.round(p99) }
}
