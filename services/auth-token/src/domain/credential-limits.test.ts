import fc from 'fast-check'
import { AppError } from '@gateway/contracts'
import { endedLongAgo, refuseTooMany } from './credential-limits.ts'
import { isLive, type Credential } from './merchant.ts'

const DAY_MS = 86_400_000
const now = new Date(1_800_000_000_000)
const ago = (ms: number) => new Date(now.getTime() - ms)
let made = 0
const credential = (changes: Partial<Credential> = {}): Credential => ({
  key_id: `key_sandbox_${(made += 1)}`,
  sealed_secret: 'sealed',
  status: 'active',
  created_at: ago(10 * DAY_MS),
  revoked_at: null,
  scopes: ['read'],
  label: null,
  expires_at: null,
  made_by: 'first',
  ...changes,
})
const many = (count: number, changes: Partial<Credential> = {}) => Array.from({ length: count }, () => credential(changes))
const revoked = { status: 'revoked', revoked_at: ago(1), sealed_secret: null } as const
const ofToday = { ...revoked, created_at: ago(1) } as const
/** One that an operator made, and one that it made in turn, which is stolen. */
const [first, thief] = [credential({ key_id: 'first', made_by: 'operator' }), credential({ key_id: 'thief' })]

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
  [
    'eight live ones and many that ended',
    [...many(8), ...many(20, revoked), ...many(5, { expires_at: now })],
    'first',
    undefined,
  ],
  ['one more of an operator', many(1, { made_by: 'operator' }), 'operator', 'too_many_credentials'],
  ['one more of an operator', many(1, { made_by: 'operator' }), 'first', undefined],
  ['fifty of today, all revoked', many(50, ofToday), 'first', 'rate_limited'],
  ['fifty of today, all revoked', many(50, ofToday), 'operator', undefined],
  ['fifty of yesterday, all revoked', many(50, { ...revoked, created_at: ago(DAY_MS) }), 'first', undefined],
  ['five live ones of a thief', [thief, ...many(5, { made_by: 'thief' })], 'thief', 'too_many_credentials'],
  ['five live ones of a thief', [thief, ...many(5, { made_by: 'thief' })], 'first', undefined],
  ['25 of a thief today, all revoked', [thief, ...many(25, { ...ofToday, made_by: 'thief' })], 'thief', 'rate_limited'],
  ['25 of a thief today, all revoked', [thief, ...many(25, { ...ofToday, made_by: 'thief' })], 'first', undefined],
  ['25 of a thief through a helper', [thief, ...throughHelper(24)], 'helper', 'rate_limited'],
])('with %s, one more by %s: %s', (_name, existing, maker, code) => {
  expect(codeOf(existing, maker)).toBe(code)
})

function throughHelper(count: number): Credential[] {
  return [
    credential({ key_id: 'helper', made_by: 'thief', created_at: ago(1) }),
    ...many(count, { ...ofToday, made_by: 'helper' }),
  ]
}

// Proves: access/ended-credentials-are-bounded
test('of many that ended, the last fifty and those of the last day are kept', () => {
  const old = many(60, { ...revoked, revoked_at: ago(2 * DAY_MS) })
  const fresh = many(70, { ...revoked, revoked_at: ago(1) })
  expect(endedLongAgo([first, ...old], now)).toHaveLength(10)
  expect(endedLongAgo([first, ...old, ...fresh], now)).toEqual(old)
})

test('what is live never ended long ago, and what is listed no more is never live', () => {
  const time = fc.option(fc.integer({ min: -60, max: 60 }).map((days) => ago(days * DAY_MS)))
  fc.assert(
    fc.property(time, time, (revoked_at, expires_at) => {
      const one = credential({ status: revoked_at ? 'revoked' : 'active', revoked_at, expires_at })
      expect(isLive(one, now) && endedLongAgo([one], now).length > 0).toBe(false)
    }),
  )
})
