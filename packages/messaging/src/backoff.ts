/** Pauses in [`ceiling`/2, `ceiling`), where the ceiling doubles with each attempt until `maxMs`. */
export interface Backoff {
  readonly firstMs: number
  readonly maxMs: number
}

/**
 * The pause before attempt number `attempt` (from 1), in milliseconds. Up to half of it is random (jitter), so that replicas
 * that lost the same broker at the same moment do not reconnect at the same moment.
 * @param random a number in [0, 1)
 */
export function backoffMs({ firstMs, maxMs }: Backoff, attempt: number, random: number): number {
  const ceilingMs = Math.min(maxMs, firstMs * 2 ** Math.max(0, attempt - 1))
  return Math.round((ceilingMs * (1 + random)) / 2)
}
