import { parseJson } from '../json.ts'

/** How the proxy handles one call of the test instance. */
export type Fault =
  | { readonly kind: 'pass'; readonly holdMs?: number }
  /** The gateway gets the call, but the caller gets no answer. */
  | { readonly kind: 'drop_answer' }
  | { readonly kind: 'refuse'; readonly status: number; readonly code: string; readonly retryAfterSeconds?: number }

export type Operation = 'create' | 'search'

/** Decides about one call. `index` counts the calls of this rule, from 0. */
export type FaultRule = (index: number) => Fault

const PASS: Fault = { kind: 'pass' }
export const TOKEN_EXPIRED: Fault = { kind: 'refuse', status: 401, code: 'token_expired' }
export const tooMany = (retryAfterSeconds: number): Fault => ({
  kind: 'refuse',
  status: 429,
  code: 'rate_limited',
  retryAfterSeconds,
})
export const UNAVAILABLE: Fault = { kind: 'refuse', status: 503, code: 'database_unavailable', retryAfterSeconds: 1 }

/** One fault after the other; afterwards everything passes. */
export function inTurn(...faults: readonly Fault[]): FaultRule {
  return (index) => faults[index] ?? PASS
}

/** The rules in force. A create call follows the rule of the check that is opening an order, a search the rule of its order. */
export type Faults = ReturnType<typeof createFaults>

export function createFaults() {
  const rules = new Map<string, { readonly rule: FaultRule; used: number }>()
  const CREATE = 'create'
  return {
    onCreate(rule: FaultRule | undefined): void {
      if (rule) rules.set(CREATE, { rule, used: 0 })
      else rules.delete(CREATE)
    },
    onSearch: (orderId: string, rule: FaultRule) => void rules.set(`search ${orderId}`, { rule, used: 0 }),
    next(operation: Operation, orderId: string): Fault {
      const entry = rules.get(operation === 'create' ? CREATE : `search ${orderId}`)
      if (!entry) return PASS
      entry.used += 1
      return entry.rule(entry.used - 1)
    },
  }
}

/** Changes that certify makes to an order of the shop. The sandbox accepts a short expiry, so that no check waits for twenty minutes. */
export interface OrderChanges {
  /** Seconds. */
  readonly expires_in?: number
  readonly max_attempts?: number
}

/** The body of a create call with these changes. A body that is not a JSON object stays unchanged, and the gateway refuses it. */
export function rewriteCreate(body: string, changes: OrderChanges): string {
  const order = parseJson(body)
  const hasChanges = Object.keys(changes).length > 0
  return hasChanges && typeof order === 'object' && order !== null ? JSON.stringify({ ...order, ...changes }) : body
}
