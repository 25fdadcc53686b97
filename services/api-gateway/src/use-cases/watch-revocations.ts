import type { Revocations } from '@gateway/contracts'
import { describeError, type Log } from '@gateway/service-kit'
import { boundedCache } from '@gateway/service-kit/limits'

/** The gateway's copy of the revocation list. */
export type RevocationWatch = ReturnType<typeof createRevocationWatch>

export type WhenRevoked = (credentialId: string, end: () => void) => () => void

/** With these two values a revocation takes effect within a second, even when polls fail (design, section 5). */
export const POLL_PAUSE_MS = 300
export const FRESH_MS = 900

/** A revoked credential matters only while one of its tokens may be cached, which is one minute. */
const MAX_REVOKED = 100_000

interface Dependencies {
  /** Calls auth-token: the credentials revoked since this time (ISO 8601). */
  readonly fetchRevocations: (since: string | undefined) => Promise<Revocations>
  /** A clock that never runs backwards, in milliseconds. */
  readonly monotonicMs: () => number
  readonly log: Log
}

export function createRevocationWatch({ fetchRevocations, monotonicMs, log }: Dependencies) {
  const revoked = boundedCache<true>(MAX_REVOKED)
  const watches = new Map<string, Set<() => void>>()
  let since: string | undefined
  let freshUntilMs = -Infinity
  let failing = false

  function revoke(credentialId: string): void {
    revoked.set(credentialId, true)
    const ends = watches.get(credentialId) ?? []
    watches.delete(credentialId)
    for (const end of ends) end()
  }

  /** Calls `end` once when the credential is revoked, at once if it is already. Returns the function that ends the watch. */
  function whenRevoked(credentialId: string, end: () => void): () => void {
    if (revoked.has(credentialId)) end()
    const ends = watches.get(credentialId) ?? new Set()
    watches.set(credentialId, ends.add(end))
    return () => {
      ends.delete(end)
      if (ends.size === 0 && watches.get(credentialId) === ends) watches.delete(credentialId)
    }
  }

  return {
    whenRevoked,
    /** False when the last successful poll is too old. Cached tokens must not be used then. */
    isFresh: () => monotonicMs() < freshUntilMs,
    isRevoked: (credentialId: string) => revoked.has(credentialId),
    /** Fetches the list from auth-token once; never throws. */
    async poll(): Promise<void> {
      // The age of an answer counts from the moment of the request.
      const requestedMs = monotonicMs()
      try {
        const { as_of: asOf, credential_ids: ids } = await fetchRevocations(since)
        for (const id of ids) revoke(id)
        since = asOf
        freshUntilMs = requestedMs + FRESH_MS
        if (failing) log.info('revocation list available again')
        failing = false
      } catch (error) {
        if (!failing) log.warn('revocation list unavailable, introspecting every token', { error: describeError(error) })
        failing = true
      }
    },
  }
}
