import fc from 'fast-check'
import { AppError } from '@gateway/contracts'
import { endedLongAgo, isLive, refuseTooMany } from './credential-limits.ts'
import type { Credential } from './merchant.ts'

const DAY_MS = 86_400_000
const now = new Date(1_800_000_000_000)
const ago = (ms: number) => new Date(now.getTime() - ms)
let made = 0
const credential = (changes: Partial<Credential> = {}): Credential => ({
  keyId: `key_sandbox_${(made += 1)}`,
  sealedSecret: 'sealed',
  status: 'active',
  createdAt: ago(10 * DAY_MS),
  revokedAt: null,
  scopes: ['read'],
  label: null,
  expiresAt: null,
  madeBy: 'first',
  ...changes,
})
const many = (count: number, changes: Partial<Credential> = {}) => Array.from({ length: count }, () => credential(changes))
const revoked = { status: 'revoked', revokedAt: ago(1), sealedSecret: null } as const
const ofToday = { ...revoked, createdAt: ago(1) } as const
/** One that an operator made, and one that it made in turn, which is stolen. */
const [first, thief] = [credential({ keyId: 'first', madeBy: 'operator' }), credential({ keyId: 'thief' })]

function codeOf(existing: Credential[], maker: string): string | undefined {
  try {
    refuseTooMany([first, ...existing], maker, now)
    return undefined
  } catch (error) {
    if (error instanceof AppError) return error.code
    throw error
  }
}

// Proves: access/ten-live-credentials, access/thief-locks-nobody-out
test.each<[string, Credential[], string, string | undefined]>([
  ['eight more live ones', many(8), 'first', undefined],
  ['nine more live ones', many(9), 'first', 'too_many_credentials'],
  ['nine more live ones', many(9), 'operator', undefined],
  ['eight live ones and many that ended', [...many(8), ...many(20, revoked), ...many(5, { expiresAt: now })], 'first', undefined],
  ['one more of an operator', many(1, { madeBy: 'operator' }), 'operator', 'too_many_credentials'],
  ['one more of an operator', many(1, { madeBy: 'operator' }), 'first', undefined],
  ['fifty of today, all revoked', many(50, ofToday), 'first', 'rate_limited'],
  ['fifty of today, all revoked', many(50, ofToday), 'operator', undefined],
  ['fifty of yesterday, all revoked', many(50, { ...revoked, createdAt: ago(DAY_MS) }), 'first', undefined],
  ['five live ones of a thief', [thief, ...many(5, { madeBy: 'thief' })], 'thief', 'too_many_credentials'],
  ['five live ones of a thief', [thief, ...many(5, { madeBy: 'thief' })], 'first', undefined],
  ['25 of a thief today, all revoked', [thief, ...many(25, { ...ofToday, madeBy: 'thief' })], 'thief', 'rate_limited'],
  ['25 of a thief today, all revoked', [thief, ...many(25, { ...ofToday, madeBy: 'thief' })], 'first', undefined],
  ['25 of a thief through a helper', [thief, ...throughHelper(24)], 'helper', 'rate_limited'],
])('with %s, one more by %s: %s', (_name, existing, maker, code) => {
  expect(codeOf(existing, maker)).toBe(code)
})

function throughHelper(count: number): Credential[] {
  return [credential({ keyId: 'helper', madeBy: 'thief', createdAt: ago(1) }), ...many(count, { ...ofToday, madeBy: 'helper' })]
}

// Proves: access/ended-credentials-are-bounded
test('of many that ended, the last fifty and those of the last day are kept', () => {
  const old = many(60, { ...revoked, revokedAt: ago(2 * DAY_MS) })
  const fresh = many(70, { ...revoked, revokedAt: ago(1) })
  expect(endedLongAgo([first, ...old], now)).toHaveLength(10)
  expect(endedLongAgo([first, ...old, ...fresh], now)).toEqual(old)
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
