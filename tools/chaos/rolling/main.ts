/**
 * `npm run chaos:rolling [-- --per-second 15] [-- --quick]`: two replicas of every service, each stopped (SIGTERM) and started
 * again in turn, while orders are created, paid, searched for and refunded. No request is sent twice. Fails when one request fails,
 * one event is lost, or one refund is lost or made twice. `--quick` restarts one replica of each service.
 */
import { parseArgs } from 'node:util'
import { withTemporaryBacking } from '@gateway-infra/local/temporary-backing'
import type { Receiver } from '@gateway-tools/load/receiver'
import { runCommand } from '@gateway-infra/system/command'
import { withFleet, type Fleet, type Replica } from '../fleet/fleet.ts'
import { reportAccount, underLoad } from '../load/account.ts'
import { openRefunds, vpaOf, type AcceptedRefund, type PaidOrder } from '../refunds/refunds.ts'

const OPTIONS = {
  'per-second': { type: 'string', default: '15' },
  quick: { type: 'boolean', default: false },
} as const

/** Callers that pay and refund. */
const CALLERS = 2

await runCommand((context, args) => {
  const { values } = parseArgs({ args: [...args], options: OPTIONS })
  const perSecond = Number(values['per-second'])
  return withTemporaryBacking(context, (backing) =>
    withFleet({ backing, replicas: 2, env: { SHUTDOWN_DELAY: '5s' } }, async (fleet) => {
      const chosen = fleet.replicas.filter(({ number }) => number === 1 || !values.quick)
      const ordered = chosen.toSorted((one, other) => one.service.localeCompare(other.service) || one.number - other.number)
      const unclean: string[] = []
      const { account, result: refunds } = await underLoad(fleet, { perSecond }, async (receiver) => {
        const refunding = await startRefunds(fleet, receiver)
        for (const replica of ordered) if (!(await restart(fleet, replica))) unclean.push(`${replica.service} ${replica.number}`)
        return refunding.end()
      })
      const isFlawless = reportAccount(account, { restarted: ordered.length, unclean, refunds })
      const { accepted, ...wrong } = refunds
      const isRefundFlawless = accepted > 0 && Object.values(wrong).every((count) => count === 0)
      // A second replica is always ready, so no request may be refused either.
      return isFlawless && account.shed === 0 && unclean.length === 0 && isRefundFlawless
    }),
  )
})

/** Callers pay orders and refund each of them, in three parts at once, until the end. */
async function startRefunds(fleet: Fleet, receiver: Receiver) {
  const merchant = await openRefunds(fleet, { isRepeated: false, given: receiver })
  const [orders, done]: [PaidOrder[], AcceptedRefund[]] = [[], []]
  let isOver = false
  async function work(): Promise<void> {
    while (!isOver) {
      const order = await merchant.pay(vpaOf(orders.length))
      orders.push(order)
      const parts = [1, 2, 3].map((n) => merchant.refund(order, `RF-${n}`, '100.00'))
      done.push(...(await Promise.all(parts)).filter((refund) => refund !== undefined))
    }
  }
  const working = Promise.allSettled(Array.from({ length: CALLERS }, work))
  return {
    /** What became of all refunds, when nothing is pending any more. */
    async end() {
      isOver = true
      const failed = (await working).flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []))
      for (const reason of failed) console.log(`  a refund or its payment failed: ${reason}`)
      const wrong = await merchant.countWrong(orders, done)
      await merchant.close()
      return { accepted: done.length, failed: failed.length, ...wrong }
    },
  }
}

/** As a rolling update does it: resolves when the replica serves again. False when it did not end well. */
async function restart(fleet: Fleet, replica: Replica): Promise<boolean> {
  const startedMs = performance.now()
  const how = await replica.stop()
  const stoppedMs = performance.now()
  await replica.start()
  await fleet.untilServing(replica)
  const [stopS, startS] = [stoppedMs - startedMs, performance.now() - stoppedMs].map((ms) => (ms / 1000).toFixed(1))
  console.log(`  ${replica.service} ${replica.number}: stopped in ${stopS} s (${how}), ready again ${startS} s later`)
  return how === 'exit code 0'
}
