import { duplicate, compareLines } from './difference.ts'
import { readHeader, SETTLEMENT_COLUMNS } from './settlement-header.ts'
import { readLine } from './settlement-line.ts'

const options = { line: 7, header: readHeader({ cells: SETTLEMENT_COLUMNS, line: 1 }), latestDay: '2026-11-22' }
const GOOD = {
  ...{ kind: 'refund', reference: 'T1R01', tr: 'T1', rrn: '', amount: '10.5', fee: '', tax: '0.18', status: 'Settled' },
  ...{ settled_on: '2026-11-04', settlement_id: 'SET-1', utr: '' },
}
const read = (change: Partial<typeof GOOD> = {}) => {
  const cells = { ...GOOD, ...change }
  return readLine(
    SETTLEMENT_COLUMNS.map((column) => cells[column]),
    options,
  )
}

test('a line is read by the names of its columns, in any order; amounts are whole paise', () => {
  const expected = {
    ...{ line: 7, kind: 'refund', reference: 'T1R01', tr: 'T1', rrn: null, amount_paise: 1050, fee_paise: 0, tax_paise: 18 },
    ...{ status: 'succeeded', settled_on: '2026-11-04', settlement_id: 'SET-1', utr: null },
  }
  expect(read()).toEqual(expected)
  const reversed = SETTLEMENT_COLUMNS.toReversed()
  expect(
    readLine(
      reversed.map((column) => GOOD[column]),
      { ...options, header: readHeader({ cells: reversed, line: 1 }) },
    ),
  ).toEqual(expected)
})

// Proves: ledger/impossible-lines-are-unreadable, ledger/no-card-in-differences
test.each<[Partial<typeof GOOD>, string]>([
  [{ kind: 'payment' }, 'kind'],
  [{ reference: '' }, 'reference'],
  [{ reference: '=1+1' }, 'reference'],
  [{ amount: '1,000.00' }, 'amount'],
  [{ amount: '-1.00' }, 'amount'],
  [{ amount: '0.001' }, 'amount'],
  [{ fee: 'free' }, 'fee'],
  [{ tax: '1e2' }, 'tax'],
  [{ status: 'perhaps' }, 'status'],
  [{ settled_on: '2026-02-30' }, 'settled_on'],
  [{ settled_on: '2025-02-29' }, 'settled_on'],
  [{ settled_on: '0000-01-01' }, 'settled_on'],
  [{ settlement_id: '' }, 'settlement_id'],
  [{ utr: 'a b' }, 'utr'],
  [{ rrn: '4111 1111 1111 1111' }, 'rrn'],
  [{ tr: '4111111111111111' }, 'tr'],
  [{ fee: '10.33' }, 'fee'],
  [{ fee: '5.25', tax: '5.26' }, 'fee'],
  [{ amount: '0.00' }, 'fee'],
  [{ settled_on: '2026-11-23' }, 'settled_on'],
  [{ settled_on: '2999-12-31' }, 'settled_on'],
  [{ fee: '-1.00' }, 'fee'],
])('%j cannot be read because of its %s, and the reason does not repeat the value', (change, column) => {
  const found = read(change)
  expect(found).toMatchObject({ line: 7, column })
  for (const value of Object.values(change)) if (value !== '') expect(JSON.stringify(found)).not.toContain(value)
})

// Proves: ledger/no-card-in-differences
test('a card number in place of a reference is stored in no difference', () => {
  const line = read({ reference: '4111111111111111' })
  if (!('kind' in line)) throw new Error('a reference may be any number')
  const { differences } = compareLines([{ ...line, file: 'F' }], new Map())
  expect(differences).toMatchObject([{ class: 'unreadable', column: 'reference' }])
  expect(JSON.stringify([...differences, duplicate('F', line)])).not.toContain('4111')
})

test('fee and tax may be the whole amount, and the bank may have settled on the day after the upload', () => {
  expect(read({ fee: '10.32', settled_on: '2026-11-22' })).toMatchObject({ fee_paise: 1032, settled_on: '2026-11-22' })
})

// Proves: ledger/one-rule-for-card-numbers-in-ids
test.each([
  ...(['settlement_id', 'utr', 'rrn'] as const).flatMap((column) =>
    ['1795600000008', '2026112600000003', 'HDFCR52026112600000003', '1795600000000000006'].map((id) => ({ [column]: id })),
  ),
])('%j is an id, though its digits pass the check', (fields) => {
  expect(read(fields)).toMatchObject({ kind: 'refund' })
})

// Proves: ledger/one-rule-for-card-numbers-in-ids
test.each(['4111111111111111', '4111-1111-1111-1111', '378282246310005', '6220181234567890128', 'T4111111111111111'])(
  'an id that is the card number %s is refused in every column',
  (id) => {
    for (const column of ['settlement_id', 'utr', 'rrn', 'tr'] as const)
      expect(read({ [column]: id })).toEqual({ line: 7, column, reason: 'must not be a card number' })
  },
)
