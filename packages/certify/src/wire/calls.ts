import { createHash } from 'node:crypto'
import { fieldsOf } from '../json.ts'
import type { Call } from '../judge.ts'
import type { Entry } from '../transcript.ts'
import type { Operation } from './faults.ts'

/** A create or search of the test instance, with what the gateway answered. */
export interface SeenCall extends Call {
  readonly operation: Operation
  readonly requestBody: string
  /** The answer of the gateway, or the one that certify gave in its place. */
  readonly responseBody: string
  readonly note: string
}

/** Every create and search that the proxy has seen, in the order of their arrival. */
export type Calls = ReturnType<typeof createCalls>

export function createCalls() {
  const calls: SeenCall[] = []
  const tokens: string[] = []
  const tokenNumber = (authorization: string): number => {
    const hash = createHash('sha256').update(authorization).digest('hex')
    if (!tokens.includes(hash)) tokens.push(hash)
    return tokens.indexOf(hash) + 1
  }
  const ordered = (kept: SeenCall[]): SeenCall[] => kept.toSorted((one, other) => one.startedAtMs - other.startedAtMs)
  const searches = (orderId: string): SeenCall[] =>
    ordered(calls.filter((call) => call.operation === 'search' && call.orderId === orderId))
  return {
    add: (call: Omit<SeenCall, 'token'>, authorization: string) =>
      void calls.push({ ...call, token: tokenNumber(authorization) }),
    /** The number of calls so far; pass it to `created` to get later ones. */
    count: () => calls.length,
    created: (from: number) => ordered(calls.slice(from).filter(({ operation }) => operation === 'create')),
    searches,
    /** The first search that showed the order as paid. */
    confirmation: (orderId: string) => searches(orderId).find(saysPaid),
    of: (orderIds: ReadonlySet<string>) => ordered(calls.filter(({ orderId }) => orderIds.has(orderId))),
  }
}

function saysPaid({ status, responseBody }: SeenCall): boolean {
  const { data } = fieldsOf(responseBody) as { data?: { transaction?: { status?: string } } }
  return status === 200 && data?.transaction?.status === 'Success'
}

export function entryOf({ operation, startedAtMs, token, status, note, requestBody, responseBody, ...call }: SeenCall): Entry {
  const path = operation === 'create' ? '/api/v1/orders/create' : '/api/v1/order/search'
  const retryAfter = call.retryAfterSeconds === null ? {} : { 'retry-after': String(call.retryAfterSeconds) }
  return {
    at: new Date(startedAtMs).toISOString(),
    kind: 'call',
    note: [`token ${token}`, note].filter(Boolean).join(', '),
    request: { line: `POST ${path}`, headers: {}, body: requestBody },
    response: { line: status === null ? 'no answer' : String(status), headers: retryAfter, body: responseBody },
  }
}
