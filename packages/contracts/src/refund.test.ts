import { formatRefundId, parseRefundId } from './refund.ts'

test('a refund id is the id of its transaction and two digits, and can be read back', () => {
  const transactionId = '01KAQ9ZX5R8Y3N6T2V4W7B1C0D'
  const id = formatRefundId(transactionId, 1)
  expect(id).toBe(`${transactionId}R01`)
  expect(id).toHaveLength(29)
  expect(parseRefundId(id)).toEqual({ transactionId, n: 1 })
  expect(parseRefundId(formatRefundId('R01', 20))).toEqual({ transactionId: 'R01', n: 20 })
})

test.each(['', 'R01', 'T1', 'T1R1', 'T1R001x', 't1R01', 'T1r01', 'T1R0１', '../T1R01'])('%j is no refund id', (text) => {
  expect(parseRefundId(text)).toBeUndefined()
})
