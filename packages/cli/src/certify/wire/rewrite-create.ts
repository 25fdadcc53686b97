import { parseJson } from '../json.ts'

/** What certify changes in an order of the shop. The sandbox accepts short lives, so that no check waits for twenty minutes. */
export interface OrderChanges {
  /** Seconds. */
  readonly expires_in?: number
  readonly max_attempts?: number
}

/** The body of a create with these changes. A body that is no JSON object stays as it is: the gateway refuses it. */
export function rewriteCreate(body: string, changes: OrderChanges): string {
  const order = parseJson(body)
  const hasChanges = Object.keys(changes).length > 0
  return hasChanges && typeof order === 'object' && order !== null ? JSON.stringify({ ...order, ...changes }) : body
}
