import { AppError } from '@gateway/contracts'
import { toRevoke } from './lineage.ts'
import type { Credential } from './merchant.ts'

const credential = (key_id: string, made_by: string, scopes: Credential['scopes']): Credential => ({
  ...{ key_id, made_by, scopes, sealed_secret: 'sealed', status: 'active', label: null },
  ...{ created_at: new Date(0), revoked_at: null, expires_at: null },
})
const all = [
  credential('first', 'operator', ['credentials', 'orders']),
  credential('second', 'operator', ['credentials']),
  credential('thief', 'first', ['credentials']),
  credential('child', 'thief', ['credentials']),
  credential('shop', 'first', ['orders']),
]
function revoking(keyId: string, by: string): string[] | string {
  const revoker = { credentialId: by, scopes: all.find((one) => one.key_id === by)?.scopes ?? [] }
  try {
    return toRevoke(all, keyId, by === 'operator' ? undefined : revoker).map((one) => one.key_id)
  } catch (error) {
    if (error instanceof AppError) return error.code
    throw error
  }
}

// Proves: access/nobody-revokes-above-itself, access/revoking-ends-descendants
test.each<[string, string, string[] | string]>([
  ['thief', 'first', 'credential_in_use'],
  ['thief', 'second', 'credential_protected'],
  ['thief', 'shop', 'scope_missing'],
  ['thief', 'thief', 'credential_in_use'],
  ['thief', 'child', ['child']],
  ['child', 'thief', 'credential_in_use'],
  ['first', 'second', 'credential_protected'],
  ['first', 'thief', ['thief', 'child']],
  ['second', 'thief', ['thief', 'child']],
  ['operator', 'first', ['first', 'thief', 'shop', 'child']],
  ['first', 'nobody', 'credential_not_found'],
])('%s revokes %s: %s', (by, keyId, outcome) => {
  expect(revoking(keyId, by)).toEqual(outcome)
})
