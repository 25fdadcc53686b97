/** Every card and bank in docs/sandbox.md must do what the page says. */
import { readFileSync } from 'node:fs'
import { MAX_RESENDS, MAX_WRONG_OTPS, SANDBOX_OTP } from '../src/domain/decide.ts'
import { networkOf } from '@gateway/contracts'
import { bankBehaviour, cardBehaviour, UPI_SCENARIOS } from '../src/domain/instruments.ts'
import { behaviourOfPaise, REFUND_BEHAVIOURS } from '../src/domain/refund.ts'

const page = readFileSync(new URL('../../../docs/sandbox.md', import.meta.url), 'utf8')
const rows = page.split('\n').map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/gu, '')))
const bare = (cell = ''): string => cell.replaceAll('`', '')

const networks = rows.find(([first]) => first === 'what happens')?.slice(1) ?? []
const cards = rows
  .filter((cells) => cells.length === networks.length + 1 && /^`\d+`$/u.test(cells[1] ?? ''))
  .flatMap(([what = '', ...numbers]) => numbers.map((number, index) => [what, networks[index], bare(number)] as const))

const BEHAVIOURS: Readonly<Record<string, object>> = {
  "the issuer's page": { kind: 'page' },
  'success at once, no page': { kind: 'decided', outcome: 'success' },
  declined: { kind: 'decided', outcome: 'failed' },
  'declined at once': { kind: 'decided', outcome: 'failed' },
  'insufficient funds': { kind: 'decided', reason: 'insufficient funds' },
  'expired card': { kind: 'decided', reason: 'expired card' },
  'pending, success after 3 s, no page': { kind: 'slow' },
  'page: every OTP is wrong': { kind: 'page', refusesOtp: true },
  'page: closes after 5 s': { kind: 'page', lastsMs: 5000 },
  "the bank's page, which closes after 5 s": { kind: 'page', lastsMs: 5000 },
  'network down: no answer': { kind: 'down', how: 'silent' },
  'network down: `503`': { kind: 'down', how: 'unavailable' },
  'answer lost; asked again: page': { kind: 'page', losesFirstAnswer: true },
  "the first answer is lost; asked again, the bank's page": { kind: 'page', losesFirstAnswer: true },
}

// Proves: page/documented-test-data
test.each(cards)('%s, %s: %s', (what, network, number) => {
  expect(BEHAVIOURS).toHaveProperty([what])
  expect(networkOf(number)?.name).toBe(network)
  expect(cardBehaviour(number)).toMatchObject(BEHAVIOURS[what] ?? {})
})

const banks = rows.filter(([code = '', what]) => /^`[A-Z]{4}`$/u.test(code) && what !== undefined)
// Proves: page/documented-test-data
test.each(banks.map(([code, what = '']) => [bare(code), what] as const))('the bank %s: %s', (code, what) => {
  expect(BEHAVIOURS).toHaveProperty([what])
  expect(bankBehaviour(code)).toMatchObject(BEHAVIOURS[what] ?? {})
})

test('six networks with eleven cards each, seven banks, every VPA, and the one-time password', () => {
  expect([networks.length, cards.length, banks.length]).toEqual([6, 66, 7])
  for (const scenario of UPI_SCENARIOS) expect(page).toContain(`| \`${scenario}@sandbox\``)
  expect(page).toContain(`**The one-time password is \`${SANDBOX_OTP}\`.**`)
  expect([MAX_WRONG_OTPS, MAX_RESENDS]).toEqual([3, 3])
})

// Proves: page/documented-test-data
test('every behaviour of refunds, by VPA and by paise', () => {
  const modifiers = REFUND_BEHAVIOURS.filter((behaviour) => behaviour !== 'at_once')
  for (const behaviour of modifiers) expect(page).toContain(`| \`success.${behaviour}-refund@sandbox\``)
  for (const [, paise = '', behaviour] of page.matchAll(/`\.(\d\d)` is (\w+)/gu)) {
    expect(behaviourOfPaise(10_000 + Number(paise))).toBe(behaviour)
  }
  expect([...page.matchAll(/`\.(\d\d)` is (\w+)/gu)]).toHaveLength(3)
})
