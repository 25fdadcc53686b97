import { setTimeout as sleep } from 'node:timers/promises'
import { isDatabaseAway } from '../errors/database-away.ts'
import { describeError } from '../logging/describe-error.ts'
import type { Log } from '../logging/logger.ts'

const PAUSE_MS = 500

/**
 * Does a step of the start that needs the database, and does it again while the database is away: a failover must not end a service
 * that is starting. Throws any other error.
 *
 * @param what for the log, such as `list indexes`
 */
export async function untilDatabaseAnswers<T>(
  step: () => Promise<T>,
  { what, log, pauseMs = PAUSE_MS }: { readonly what: string; readonly log: Pick<Log, 'warn'>; readonly pauseMs?: number },
): Promise<T> {
  for (;;) {
    try {
      return await step()
    } catch (error) {
      if (!isDatabaseAway(error)) throw error
      log.warn('database unavailable, retrying', { step: what, error: describeError(error) })
      await sleep(pauseMs)
    }
  }
}
