import { parseJson } from '../json.ts'

/**
 * The body of a create with another `expires_in`. The sandbox accepts short ones, so a check does not wait twenty minutes. A body
 * that is no JSON object stays as it is: the gateway refuses it.
 */
export function rewriteExpiry(body: string, seconds: number): string {
  const order = parseJson(body)
  return typeof order === 'object' && order !== null ? JSON.stringify({ ...order, expires_in: seconds }) : body
}
