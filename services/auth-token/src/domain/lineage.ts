import { BY_OPERATOR, type Credential } from './merchant.ts'

/** Who made which credential. An operator's credential begins a line; each other one ends no later than its maker. */

/** All that this credential made, directly or through others; not itself. */
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
