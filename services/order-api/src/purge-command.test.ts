import { readPurgeCommand } from './purge-command.ts'

const read = (args: readonly string[], text = '') => readPurgeCommand(args, () => text)

test('orders of one merchant', () => {
  expect(read(['order', 'mer_1', 'ORD-1', 'ORD-2'])).toEqual({
    kind: 'orders',
    orders: [
      { merchantId: 'mer_1', orderId: 'ORD-1' },
      { merchantId: 'mer_1', orderId: 'ORD-2' },
    ],
  })
})

test('orders of a file, with remarks', () => {
  expect(read(['list', 'erasures.txt'], '# asked on 2026-11-21\nmer_1 ORD-1\n\n  mer_2\tORD-9  # by letter\n')).toEqual({
    kind: 'orders',
    orders: [
      { merchantId: 'mer_1', orderId: 'ORD-1' },
      { merchantId: 'mer_2', orderId: 'ORD-9' },
    ],
  })
})

test('the orders of a merchant, before a time or all', () => {
  expect(read(['merchant', 'mer_1', '--before', '2026-01-01'])).toEqual({
    kind: 'merchant',
    merchantId: 'mer_1',
    before: new Date('2026-01-01'),
  })
  expect(read(['merchant', 'mer_1', '--all'])).toEqual({ kind: 'merchant', merchantId: 'mer_1', before: undefined })
})

test('orders past the retention', () => {
  expect(read(['due'])).toEqual({ kind: 'due', fromStart: false })
  expect(read(['due', '--from-start'])).toEqual({ kind: 'due', fromStart: true })
})

test.each([
  [[]],
  [['everything']],
  [['order']],
  [['order', 'mer_1']],
  [['order', 'mer_1', 'O']],
  [['order', 'mer_1', 'ORD-1', '{"$gt":""}']],
  [['order', 'mer_1', 'ORD-1', '--all']],
  [['order', 'mer 1', 'ORD-1']],
  [['merchant']],
  [['merchant', 'mer_1']],
  [['merchant', 'mer_1', 'mer_2', '--all']],
  [['merchant', 'mer_1', '--all', '--before', '2026-01-01']],
  [['merchant', 'mer_1', '--before', 'yesterday']],
  [['merchant', 'mer_1', '--before', '1']],
  [['merchant', 'mer_1', '--before', '01/02/2026']],
  [['merchant', 'mer_1', '--before', '2026-01-01T10:00:00']],
  [['merchant', 'mer_1', '--all', '--from-start']],
  [['due', 'now']],
  [['due', '--all']],
  [['due', '--form-start']],
  [['list']],
])('%j is refused with a word on it', (args) => {
  expect(read(args)).toEqual({ problem: expect.stringMatching(/.{10,}/u) })
})

test.each(['', '# nobody', 'mer_1', 'mer_1 ORD-1 ORD-2', 'mer_1 ORD-1\nmer_2 O'])('a file with %j purges nothing', (text) => {
  expect(read(['list', 'file'], text)).toHaveProperty('problem')
})

test('a wrong line of a file is named by its number, never by its text, which may be personal data', () => {
  const text = '# asked by letter\nmer_1 ORD-1\n\nAsha Secret, secret@example.com\n'
  expect(read(['list', 'file'], text)).toEqual({ problem: 'line 4 is not <merchant id> <order id>' })
})

test('an unreadable file is an error', () => {
  const missing = (): string => {
    throw new Error('no such file')
  }
  expect(readPurgeCommand(['list', 'file'], missing)).toEqual({ problem: 'no such file' })
})
