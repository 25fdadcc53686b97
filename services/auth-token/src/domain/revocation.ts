import { Refused } from '@gateway/contracts'
import { descendantsOf, lineOf } from './lineage.ts'
import { BY_OPERATOR, type Credential } from './merchant.ts'

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
  const target = credentials.find((credential) => credential.keyId === keyId)
  if (!target) throw new Refused('credential_not_found', 'The merchant has no such credential')
  if (revoker) refuseTheft(credentials, target, revoker)
  return [target, ...descendantsOf(credentials, keyId)].filter(({ status }) => status === 'active')
}

/** A stolen credential must not end what its owner, or an operator, needs to end the theft. */
function refuseTheft(credentials: readonly Credential[], target: Credential, { credentialId, scopes }: Revoker): void {
  if (lineOf(credentials, credentialId).includes(target)) {
    throw new Refused('credential_in_use', 'A credential cannot revoke itself or one that it descends from; use another one')
  }
  if (target.madeBy === BY_OPERATOR) {
    throw new Refused('credential_protected', 'Only an operator revokes a credential that an operator made')
  }
  const lacking = target.scopes.find((scope) => !scopes.includes(scope))
  if (lacking !== undefined) {
    throw new Refused('scope_missing', `A credential without the scope "${lacking}" cannot revoke one that has it`)
  }
}
