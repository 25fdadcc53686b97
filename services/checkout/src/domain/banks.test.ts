import { banksIn } from './banks.ts'

const real = banksIn('production')

test('lists at least fifty banks, each once, with a name in both languages', () => {
  expect(real.length).toBeGreaterThanOrEqual(50)
  expect(new Set(real.map(({ code }) => code)).size).toBe(real.length)
  expect(new Set(real.map(({ name }) => name.en)).size).toBe(real.length)
  for (const { code, name } of banksIn('sandbox')) {
    expect(code).toMatch(/^[A-Z]{4}$/u)
    expect(name.en).toMatch(/^[A-Z][\w&:,' -]+$/u)
    expect(name.hi).toMatch(/^\p{Script=Devanagari}/u)
  }
})

// Each checked against an IFSC that the bank prints: SBIN0000001, UTIB0000004, PUNB0014600, ...
test.each([
  ['State Bank of India', 'SBIN'],
  ['Axis Bank', 'UTIB'],
  ['Punjab National Bank', 'PUNB'],
  ['RBL Bank', 'RATN'],
  ['IDBI Bank', 'IBKL'],
  ['South Indian Bank', 'SIBL'],
])('%s is %s', (name, code) => {
  expect(real.find((bank) => bank.name.en === name)?.code).toBe(code)
})

test('popular banks come first, the others are sorted by name, test banks are last and only in the sandbox', () => {
  const others = real.filter(({ group }) => group === 'all')
  expect(real.map(({ group }) => group).slice(0, -others.length)).toEqual(
    Array.from({ length: real.length - others.length }, () => 'popular'),
  )
  const names = others.map(({ name }) => name.en)
  expect(names).toEqual(names.toSorted((one, other) => one.localeCompare(other, 'en')))

  const sandbox = banksIn('sandbox')
  expect(sandbox.slice(0, real.length)).toEqual(real)
  expect(sandbox.slice(real.length).map(({ code }) => code)).toEqual(expect.arrayContaining(['PASS', 'FAIL', 'SLOW']))
  expect(sandbox.slice(real.length).every(({ group }) => group === 'test')).toBe(true)
})
