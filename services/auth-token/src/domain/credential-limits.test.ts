import fc from 'fast-check'
import { AppError } from '@gateway/contracts'
import { endedLongAgo, isLive, refuseTooMany } from './credential-limits.ts'
import type { Credential } from './merchant.ts'

const DAY_MS = 86_400_000
const now = new Date(1_800_000_000_000)
const ago = (ms: number) => new Date(now.getTime() - ms)
const credential = (changes: Partial<Credential> = {}): Credential => ({
  keyId: 'key_sandbox_1',
  sealedSecret: 'sealed',
  status: 'active',
  createdAt: ago(10 * DAY_MS),
  revokedAt: null,
  scopes: ['read'],
  label: null,
  expiresAt: null,
  madeBy: 'merchant',
  ...changes,
})
const many = (count: number, changes: Partial<Credential> = {}) => Array.from({ length: count }, () => credential(changes))
function codeOf(existing: Credential[], madeBy: Credential['madeBy']): string | undefined {
  try {
    refuseTooMany(existing, madeBy, now)
    return undefined
  } catch (error) {
    if (error instanceof AppError) return error.code
    throw error
  }
}
const revoked = { status: 'revoked', revokedAt: ago(1), sealedSecret: null } as const

// Proves: access/ten-live-credentials
test.each<[string, Credential[], Credential['madeBy'], string | undefined]>([
  ['nine live ones', many(9), 'merchant', undefined],
  ['ten live ones', many(10), 'merchant', 'too_many_credentials'],
  ['ten live ones', many(10), 'operator', 'too_many_credentials'],
  [
    'nine live ones and many that ended',
    [...many(9), ...many(20, revoked), ...many(5, { expiresAt: now })],
    'merchant',
    undefined,
  ],
  ['one of an operator', many(1, { madeBy: 'operator' }), 'operator', undefined],
  ['two of operators', many(2, { madeBy: 'operator' }), 'operator', 'too_many_credentials'],
  ['two of operators', many(2, { madeBy: 'operator' }), 'merchant', undefined],
  ['nine of the merchant', many(9), 'operator', undefined],
  ['fifty made today, all revoked', many(50, { ...revoked, createdAt: ago(1) }), 'merchant', 'rate_limited'],
  ['fifty made yesterday, all revoked', many(50, { ...revoked, createdAt: ago(DAY_MS) }), 'merchant', undefined],
])('with %s, one more by a %s: %s', (_name, existing, madeBy, code) => {
  expect(codeOf(existing, madeBy)).toBe(code)
})

test('what is live never ended long ago, and what is listed no more is never live', () => {
  const time = fc.option(fc.integer({ min: -60, max: 60 }).map((days) => ago(days * DAY_MS)))
  fc.assert(
    fc.property(time, time, (revokedAt, expiresAt) => {
      const one = credential({ status: revokedAt ? 'revoked' : 'active', revokedAt, expiresAt })
      expect(isLive(one, now) && endedLongAgo([one], now).length > 0).toBe(false)
    }),
  )
})
