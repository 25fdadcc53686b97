import type { Transition, TransitionsPage } from '@gateway/contracts'
import { eventually, jsonClient, type JsonClient } from '@gateway/testkit'
import type { ServiceName } from '@gateway-infra/local/services'
import type { Fleet } from '../fleet/fleet.ts'
import type { LoadAnswer } from './load.ts'
import type { Crowd } from './crowd.ts'

/** What became of everything that was sent. */
export interface Account {
  readonly sent: number
  /** Refused for now, as the gateway may while its broker is away. */
  readonly shed: number
  readonly failed: number
  readonly failures: Readonly<Record<string, number>>
  readonly orders: number
  readonly paid: number
  /** Orders that were acknowledged and that payment-status has never heard of. */
  readonly ordersLost: number
  /** Accepted payments that are no `Success`. */
  readonly unfinished: number
  readonly committed: number
  readonly acknowledged: number
  /** Committed status changes whose webhook was never acknowledged. */
  readonly lost: number
  /** Of those that arrived again. */
  readonly repeated: number
  /** What the operators' audit names. */
  readonly gaps: readonly string[]
}

const SETTLED_WITHIN_MS = 90_000

export async function account(fleet: Fleet, load: LoadAnswer, receiver: Crowd['receiver']): Promise<Account> {
  const status = clientOf(fleet, 'payment-status', fleet.secrets.internalApiToken)
  const unfinished = await untilNone(() => unfinishedOf(status, load.paid))
  const transitions = await committedBy(status)
  const eventIds = transitions.map(({ transaction_id, sequence }) => `${transaction_id}.${sequence}`)
  const missing = await untilNone(async () => (await receiver.call({ kind: 'missing', eventIds })).missing ?? [])
  const { repeated } = await receiver.call({ kind: 'count' })
  const known = new Set(transitions.map(({ transaction_id }) => transaction_id))
  const { sent, shed, failed, failures, created, paid } = load
  return {
    ...{ sent, shed, failed, failures, repeated },
    orders: created.length,
    paid: paid.length,
    ordersLost: created.filter((id) => !known.has(id)).length,
    unfinished: unfinished.length,
    committed: eventIds.length,
    acknowledged: eventIds.length - missing.length,
    lost: missing.length,
    gaps: await untilNone(() => gapsOf(fleet)),
  }
}

export function isFlawless({ failed, ordersLost, unfinished, lost, gaps }: Account): boolean {
  return failed + ordersLost + unfinished + lost + gaps.length === 0
}

function clientOf(fleet: Fleet, name: ServiceName, token: string, operator = false): JsonClient {
  const replica = fleet.replicas.find(({ service }) => service === name)
  const port = (operator ? replica?.operatorPort : replica?.port) ?? 0
  return jsonClient(`http://127.0.0.1:${port}`, { authorization: `Bearer ${token}` })
}

/** What is left of a list that should become empty, at the latest when the time is over. */
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

const done = new WeakMap<readonly string[], Set<string>>()

async function unfinishedOf(status: JsonClient, ids: readonly string[]): Promise<string[]> {
  const finished = done.get(ids) ?? new Set<string>()
  done.set(ids, finished)
  const left = ids.filter((id) => !finished.has(id))
  for (const id of left) {
    const { body } = await status<{ status?: string }>('GET', `/internal/v1/transactions/${id}`)
    if (body.status === 'Success') finished.add(id)
  }
  return left.filter((id) => !finished.has(id))
}

async function committedBy(status: JsonClient): Promise<Transition[]> {
  const all: Transition[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const query: string = cursor === '' ? '' : `&cursor=${cursor}`
    const answer = await status<TransitionsPage>('GET', `/internal/v1/transitions?limit=1000${query}`)
    all.push(...answer.body.transitions)
    cursor = answer.body.next_cursor
  }
  return all
}

interface AuditStep {
  readonly data: { readonly gaps: readonly { readonly kind: string; readonly id: string }[] }
  readonly next_cursor: string | null
}

async function gapsOf(fleet: Fleet): Promise<string[]> {
  const operator = clientOf(fleet, 'webhook-dispatcher', fleet.secrets.webhookOperatorToken, true)
  const gaps: string[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const path: string = `/operator/v1/audit${cursor === '' ? '' : `?cursor=${cursor}`}`
    const { status, body } = await operator<AuditStep>('GET', path)
    if (status !== 200) return [`the audit answers ${status}`]
    gaps.push(...body.data.gaps.map(({ kind, id }) => `${kind} ${id}`))
    cursor = body.next_cursor
  }
  return gaps
}
