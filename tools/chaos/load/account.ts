import { setTimeout as sleep } from 'node:timers/promises'
import type { Transition, TransitionsPage } from '@gateway/contracts'
import { eventually, operatorClient, type JsonClient } from '@gateway/testkit'
import type { LoadAnswer } from '@gateway-tools/load/merchant-load'
import { openLoad } from '@gateway-tools/load/merchants'
import { auditGaps, pagesOf } from '@gateway-tools/load/pages'
import type { Receiver } from '@gateway-tools/load/receiver'
import type { Fleet } from '../fleet/fleet.ts'

/** What became of everything that was sent. */
export type Account = Awaited<ReturnType<typeof accountFor>>

const SETTLED_WITHIN_MS = 90_000

/**
 * Does `work` while merchants, shoppers and webhook receivers are busy with the fleet; then says what became of all orders.
 * `perSecond` is the rate of orders, `aroundMs` the time of load before `work` and after it.
 */
export async function underLoad<T>(
  fleet: Fleet,
  { perSecond, merchants = 10, aroundMs = 4000 }: { perSecond: number; merchants?: number; aroundMs?: number },
  work: (receiver: Receiver) => Promise<T>,
): Promise<{ account: Account; result: T }> {
  const { load, receiver, close } = await openLoad(fleet, merchants)
  try {
    const loading = load.call('paced', 'journey', { perSecond, durationMs: Infinity })
    const working = async (): Promise<T> => {
      await sleep(aroundMs)
      const result = await work(receiver)
      await sleep(aroundMs)
      return result
    }
    const [loaded, result] = await Promise.all([loading, working().finally(() => load.call('stop'))])
    return { account: await accountFor(fleet, loaded, receiver), result }
  } finally {
    await close()
  }
}

/** Waits until everything is complete, or for its time limit, and then counts. */
async function accountFor(fleet: Fleet, load: LoadAnswer, receiver: Receiver) {
  const views = fleet.internalClient('payment-status', 'checkout')
  const operator = operatorClient(fleet.webhook_operator)
  let unfinished = load.paidIds
  await untilNone(async () => (unfinished = await unfinishedOf(views, unfinished)))
  const transitions = await committedBy(fleet)
  const eventIds = transitions.map(({ transaction_id, sequence }) => `${transaction_id}.${sequence}`)
  const missing = await untilNone(() => receiver.call('missing', eventIds))
  const { repeated } = await receiver.call('counts')
  const known = new Set(transitions.map(({ transaction_id }) => transaction_id))
  const { sent, shed, failed, failures, transactionIds, paidIds } = load
  return {
    ...{ sent, shed, failed, failures, repeated },
    orders: transactionIds.length,
    paid: paidIds.length,
    /** Acknowledged, and not known to payment-status. */
    ordersLost: transactionIds.filter((id) => !known.has(id)).length,
    /** Accepted payments that are not `Success`. */
    unfinished: unfinished.length,
    committed: eventIds.length,
    acknowledged: eventIds.length - missing.length,
    /** Committed status changes whose webhook was never acknowledged. */
    lost: missing.length,
    gaps: await untilNone(() => auditGaps(operator).catch((error: unknown) => [String(error)])),
  }
}

/** Prints what failed, and the account with `more` as one JSON object. True when nothing was lost and no request failed. */
export function reportAccount({ failures, gaps, ...counts }: Account, more: Readonly<Record<string, unknown>> = {}): boolean {
  if (Object.keys(failures).length + gaps.length > 0) console.log({ failures, gaps })
  console.log(JSON.stringify({ ...counts, gaps: gaps.length, ...more }))
  const { failed, ordersLost, unfinished, lost } = counts
  return failed + ordersLost + unfinished + lost + gaps.length === 0
}

/** Looks until the list is empty; resolves with what is left when the time is over. */
async function untilNone<T>(look: () => Promise<readonly T[]>): Promise<readonly T[]> {
  let left: readonly T[] = []
  await eventually(
    async () => {
      left = await look()
      if (left.length > 0) throw new Error(`${left.length} are left`)
    },
    { deadlineMs: SETTLED_WITHIN_MS, pauseMs: 500 },
  ).catch(() => undefined)
  return left
}

async function unfinishedOf(status: JsonClient, ids: readonly string[]): Promise<string[]> {
  const unfinished: string[] = []
  for (const id of ids) {
    const { body } = await status<{ status?: string }>('GET', `/internal/v1/transactions/${id}`)
    if (body.status !== 'Success') unfinished.push(id)
  }
  return unfinished
}

/** Every status change that payment-status has stored. */
export async function committedBy(fleet: Fleet): Promise<Transition[]> {
  const status = fleet.internalClient('payment-status', 'webhook-dispatcher')
  const all: Transition[] = []
  for await (const page of pagesOf<TransitionsPage>(status, '/internal/v1/transitions?limit=1000')) all.push(...page.transitions)
  return all
}
