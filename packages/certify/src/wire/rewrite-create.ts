import { parseJson } from '../json.ts'

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
