import { Unavailable } from '@gateway/contracts'
import type { Called } from '@gateway/service-kit'
import type { RecoverDeliveries } from './recover-deliveries.ts'

/** Recoveries of all merchants at the same time. Each writes up to 50 records a second. */
const MAX_RUNNING = 20
const RETRY_AFTER_SECONDS = 5

/**
 * Runs one recovery of a merchant at a time, and `MAX_RUNNING` of all merchants, on this replica: a merchant that floods this call
 * delays only itself. Throws `rate_limited`.
 */
export function limitRecoveries(recover: Called<RecoverDeliveries>): Called<RecoverDeliveries> {
  const running = new Set<string>()
  return async (merchantId, request) => {
    if (running.has(merchantId)) throw rateLimited('A recovery of your deliveries is running; wait for its answer')
    if (running.size >= MAX_RUNNING) throw rateLimited('Many merchants recover deliveries now; try again')
    running.add(merchantId)
    return recover(merchantId, request).finally(() => running.delete(merchantId))
  }
}

function rateLimited(detail: string): Unavailable {
  return new Unavailable('rate_limited', detail, { retryAfterSeconds: RETRY_AFTER_SECONDS })
}
