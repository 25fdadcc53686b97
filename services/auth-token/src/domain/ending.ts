import { tokenInvalid, ValidationFailed } from '@gateway/contracts'
import { isLive } from './credential-limits.ts'
import { BY_OPERATOR, type Credential } from './merchant.ts'

/**
 * The new credential, which ends no later than its maker. Throws `token_invalid` when its maker has ended meanwhile, and
 * `ValidationFailed` when the request asks for a later end.
 */
export function endingWithMaker(credentials: readonly Credential[], made: Credential, now: Date): Credential {
  if (made.madeBy === BY_OPERATOR) return made
  const maker = credentials.find(({ keyId }) => keyId === made.madeBy)
  if (!maker || !isLive(maker, now)) throw tokenInvalid()
  const { expiresAt } = maker
  if (expiresAt === null) return made
  if (made.expiresAt !== null && made.expiresAt > expiresAt) {
    const message = `must not be later than the end of the calling credential, ${expiresAt.toISOString()}`
    throw new ValidationFailed([{ field: '/expires_at', message }])
  }
  return { ...made, expiresAt: made.expiresAt ?? expiresAt }
}
