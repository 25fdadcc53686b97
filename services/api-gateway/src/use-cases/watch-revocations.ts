import { LRUCache } from 'lru-cache'
import type { Revocations } from '@gateway/contracts'
import { describeError, type Log } from '@gateway/service-kit'

/** What the gateway knows of revoked credentials, and whether that is new enough to lean on. */
export interface RevocationWatch {
  /** False when auth-token has not answered lately: then nothing that was kept counts. */
  isFresh(): boolean
  isRevoked(credentialId: string): boolean
  /** Asks auth-token once; never throws. */
  poll(): Promise<void>
}

/** With a poll every 300 ms: a revocation counts within a second, whatever happens to the polls (design, section 5). */
export const POLL_PAUSE_MS = 300
export const FRESH_MS = 900

/** Only those whose tokens may still be kept matter, and these live a minute. */
const MAX_REVOKED = 100_000

interface Dependencies {
  readonly ask: (since: string | undefined) => Promise<Revocations>
  /** A clock that only goes forward, in milliseconds. */
  readonly monotonicMs: () => number
  readonly log: Log
}

export function createRevocationWatch({ ask, monotonicMs, log }: Dependencies): RevocationWatch {
  const revoked = new LRUCache<string, true>({ max: MAX_REVOKED })
  let since: string | undefined
  let freshUntilMs = -Infinity
  let failing = false

  return {
    isFresh: () => monotonicMs() < freshUntilMs,
    isRevoked: (credentialId) => revoked.has(credentialId),
    async poll() {
      // An answer is as old as its question.
      const askedMs = monotonicMs()
      try {
        const { as_of: asOf, credential_ids: ids } = await ask(since)
        for (const id of ids) revoked.set(id, true)
        since = asOf
        freshUntilMs = askedMs + FRESH_MS
        if (failing) log.info('revocations are fresh again')
        failing = false
      } catch (error) {
        if (!failing) log.warn('revocations cannot be had, every token is introspected', { error: describeError(error) })
        failing = true
      }
    },
  }
}
