import { createSecretKey, randomBytes } from 'node:crypto'
import { makeHashPayer } from './payer-hash.ts'

const hash = makeHashPayer(createSecretKey(randomBytes(32)))

// Proves: ledger/no-payer-is-stored
test('a payer is the same in any letter case, and another one for another merchant or key', () => {
  const other = makeHashPayer(createSecretKey(randomBytes(32)))
  expect(hash('M1', 'Asha@okbank')).toBe(hash('M1', 'asha@OKBANK'))
  expect(hash('M2', 'asha@okbank')).not.toBe(hash('M1', 'asha@okbank'))
  expect(other('M1', 'asha@okbank')).not.toBe(hash('M1', 'asha@okbank'))
  expect(hash('M1', 'asha@okbank')).not.toContain('asha')
})
