import { BY_OPERATOR, type Credential } from './merchant.ts'

/** Which credential made which. A line begins with a credential that an operator made; each other one ends no later than its maker. */

/** All credentials that this one made, directly or through others, without itself. */
export function descendantsOf(credentials: readonly Credential[], keyId: string): Credential[] {
  const made = credentials.filter(({ madeBy }) => madeBy === keyId)
  return [...made, ...made.flatMap((child) => descendantsOf(credentials, child.keyId))]
}

/** This credential, the one that made it, and so on, up to one that an operator made. */
export function lineOf(credentials: readonly Credential[], keyId: string): Credential[] {
  const found = credentials.find((credential) => credential.keyId === keyId)
  if (!found) return []
  return found.madeBy === BY_OPERATOR ? [found] : [found, ...lineOf(credentials, found.madeBy)]
}
