import type { Transition, TransitionsPage } from '@gateway/contracts'
import { eventually, jsonClient, type JsonClient } from '@gateway/testkit'
import type { ServiceName } from '@gateway-infra/local/services'
import { auditGaps, pagesOf } from '@gateway-tools/load/pages'
import type { Receiver } from '@gateway-tools/load/receiver'
import type { LoadAnswer } from '@gateway-tools/load/merchant-load'
import type { Fleet } from '../fleet/fleet.ts'

/** What became of everything that was sent. */
export type Account = Awaited<ReturnType<typeof account>>

const SETTLED_WITHIN_MS = 90_000

/** Waits until everything is complete, or for its time limit, and then counts. */
export async function account(fleet: Fleet, load: LoadAnswer, receiver: Receiver) {
  const views = clientOf(fleet, 'payment-status', fleet.tokenOf('checkout'))
  const exports = clientOf(fleet, 'payment-status', fleet.tokenOf('webhook-dispatcher'))
  const operator = clientOf(fleet, 'webhook-dispatcher', fleet.secrets.webhookOperatorToken, 'operatorPort')
  let unfinished = load.paidIds
  await untilNone(async () => (unfinished = await unfinishedOf(views, unfinished)))
  const transitions = await committedBy(exports)
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

export function isFlawless({ failed, ordersLost, unfinished, lost, gaps }: Account): boolean {
  return failed + ordersLost + unfinished + lost + gaps.length === 0
}

export function describeAccount(account: Account): string {
  const { sent, shed, failed, failures, orders, paid, ordersLost, unfinished, committed, acknowledged, lost, repeated, gaps } =
    account
  return [
    `requests sent ${sent}, refused for now ${shed}, failed ${failed}`,
    ...Object.entries(failures).map(([failure, count]) => `  ${count} × ${failure}`),
    `orders created ${orders} (lost ${ordersLost}), payments accepted ${paid} (not finished ${unfinished})`,
    `status changes committed ${committed}, webhooks acknowledged ${acknowledged} (sent again ${repeated}), lost ${lost}`,
    `audit: ${gaps.length === 0 ? 'clean' : gaps.slice(0, 10).join(', ')}`,
  ].join('\n')
}

/** A client of the internal API of a service, or of its operator API. */
export function clientOf(fleet: Fleet, name: ServiceName, token: string, port: 'port' | 'operatorPort' = 'port'): JsonClient {
  return jsonClient(`http://127.0.0.1:${fleet.anyReplica(name)[port]}`, { authorization: `Bearer ${token}` })
}

/** Prints the account, and one JSON object with `more` as the last line. */
export function reportAccount(account: Account, more: Readonly<Record<string, unknown>>): void {
  console.log(describeAccount(account))
  const { failures: _failures, gaps, ...figures } = account
  console.log(JSON.stringify({ ...figures, gaps: gaps.length, ...more }))
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

/** Every status change that payment-status has stored. `status` is a client of payment-status's internal API. */
export async function committedBy(status: JsonClient): Promise<Transition[]> {
  const all: Transition[] = []
  for await (const page of pagesOf<TransitionsPage>(status, '/internal/v1/transitions?limit=1000')) all.push(...page.transitions)
  return all
}
