import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureSecrets } from './secrets.ts'

let stateDir: string
beforeEach(() => (stateDir = mkdtempSync(join(tmpdir(), 'secrets-'))))
afterEach(() => rmSync(stateDir, { recursive: true }))

test('secrets are drawn once, differ from one another, and are for this user’s eyes only', () => {
  const first = ensureSecrets(stateDir)

  expect(ensureSecrets(stateDir)).toEqual(first)
  expect(new Set(Object.values(first)).size).toBe(Object.keys(first).length)
  expect(statSync(join(stateDir, 'secrets.json')).mode & 0o777).toBe(0o600)
})

test('one that is missing is drawn, the others stay', () => {
  const { networkApiKey, ...others } = ensureSecrets(stateDir)
  writeFileSync(join(stateDir, 'secrets.json'), JSON.stringify(others))

  const again = ensureSecrets(stateDir)
  expect(again).toMatchObject(others)
  expect(again.networkApiKey).not.toBe(networkApiKey)
})

test('a damaged file is never replaced: its secrets open the data', () => {
  const file = join(stateDir, 'secrets.json')
  writeFileSync(file, '{"masterKeys": "loc')

  expect(() => ensureSecrets(stateDir)).toThrow(/cannot be read/)
  expect(readFileSync(file, 'utf8')).toBe('{"masterKeys": "loc')
})
