import { Refused, tokenInvalid, ValidationFailed } from '@gateway/contracts'
import { BY_OPERATOR, isLive, type Credential } from './merchant.ts'

/**
 * Which credential made which, and what follows for ends and revocations. A line begins with a credential that an operator made;
 * each other one ends no later than its maker.
 */

/** All credentials that this one made, directly or through others, without itself. */
export function descendantsOf(credentials: readonly Credential[], keyId: string): Credential[] {
  const made = credentials.filter((credential) => credential.made_by === keyId)
  return [...made, ...made.flatMap((child) => descendantsOf(credentials, child.key_id))]
}

/** This credential, the one that made it, and so on, up to one that an operator made. */
export function lineOf(credentials: readonly Credential[], keyId: string): Credential[] {
  const found = credentials.find((credential) => credential.key_id === keyId)
  if (!found) return []
  return found.made_by === BY_OPERATOR ? [found] : [found, ...lineOf(credentials, found.made_by)]
}

/**
 * The new credential, which ends no later than its maker. Throws `token_invalid` when its maker has ended meanwhile, and
 * `ValidationFailed` when the request asks for a later end.
 */
export function endingWithMaker(credentials: readonly Credential[], made: Credential, now: Date): Credential {
  if (made.made_by === BY_OPERATOR) return made
  const maker = credentials.find((credential) => credential.key_id === made.made_by)
  if (!maker || !isLive(maker, now)) throw tokenInvalid()
  const { expires_at } = maker
  if (expires_at === null) return made
  if (made.expires_at !== null && made.expires_at > expires_at) {
    const message = `must not be later than the end of the calling credential, ${expires_at.toISOString()}`
    throw new ValidationFailed([{ field: '/expires_at', message }])
  }
  return { ...made, expires_at: made.expires_at ?? expires_at }
}

/** The credential that asks, as its internal token describes it. */
export interface Revoker {
  readonly credentialId: string
  readonly scopes: readonly string[]
}

/**
 * The credentials that revoking this one ends: itself and what it made, its maker first. Throws `credential_not_found`,
 * `credential_in_use`, `credential_protected` or `scope_missing`. An operator, without `revoker`, may revoke every one.
 */
export function toRevoke(credentials: readonly Credential[], keyId: string, revoker?: Revoker): Credential[] {
  const target = credentials.find((credential) => credential.key_id === keyId)
  if (!target) throw new Refused('credential_not_found', 'The merchant has no such credential')
  if (revoker) refuseTheft(credentials, target, revoker)
  return [target, ...descendantsOf(credentials, keyId)].filter(({ status }) => status === 'active')
}

/** A stolen credential must not end what its owner, or an operator, needs to end the theft. */
function refuseTheft(credentials: readonly Credential[], target: Credential, { credentialId, scopes }: Revoker): void {
  if (lineOf(credentials, credentialId).includes(target)) {
    throw new Refused('credential_in_use', 'A credential cannot revoke itself or one that it descends from; use another one')
  }
  if (target.made_by === BY_OPERATOR) {
    throw new Refused('credential_protected', 'Only an operator revokes a credential that an operator made')
  }
  const lacking = target.scopes.find((scope) => !scopes.includes(scope))
  if (lacking !== undefined) {
    throw new Refused('scope_missing', `A credential without the scope "${lacking}" cannot revoke one that has it`)
  }
}
